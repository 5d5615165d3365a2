# The labs, where `warpbook grade` finds them.
LAB_FILES := $(wildcard labs/*.md labs/*/*.json labs/*/*.md labs/*/*.cu labs/*/*.cpp labs/*/solutions/*.cu labs/*/steps/*.cu)
LAB_HEADER := $(SHAREDIR)/include/warpbook_lab.h
PRODUCTS += $(addprefix $(SHAREDIR)/,$(LAB_FILES)) $(LAB_HEADER)

$(SHAREDIR)/labs/%: labs/%
	@mkdir -p $(@D)
	@cp $< $@

$(LAB_HEADER): labs/warpbook_lab.h
	@mkdir -p $(@D)
	@cp $< $@
