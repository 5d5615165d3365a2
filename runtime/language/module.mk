# The catalogues, which runtime/base/language.c takes into every program. Without msgfmt (Debian's gettext) they are
# empty, and Warpbook speaks English.
LANGUAGE_PO := runtime/language/po/zh_CN.po
LANGUAGE_MO := $(BUILD)/language/zh_CN.mo
LANGUAGE_FLAGS := -DWB_CATALOGS='"$(BUILD)/language"'

$(LANGUAGE_MO): $(LANGUAGE_PO)
	$(call say,MSGFMT,$@)
	@mkdir -p $(@D)
	$(Q)if command -v msgfmt >/dev/null; then msgfmt -c -o $@ $<; else : > $@; fi

language_objects := $(foreach kind,obj fuzz/obj,$(BUILD)/$(kind)/runtime/base/language.o)
$(language_objects): $(LANGUAGE_MO)
$(language_objects): CPPFLAGS += $(LANGUAGE_FLAGS)

# Finds the texts to translate (runtime/language/language.py), and updates the catalogue.
.PHONY: pot
pot:
	@python3 runtime/language/language.py update
