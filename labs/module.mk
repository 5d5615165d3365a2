# The labs, where `warpbook grade` finds them.
LAB_FILES := $(wildcard labs/*.md labs/*/*.json labs/*/*.md labs/*/*.cu labs/*/*.cpp labs/*/solutions/*.cu labs/*/steps/*.cu)
PRODUCTS += $(addprefix $(SHAREDIR)/,$(LAB_FILES))

$(SHAREDIR)/labs/%: labs/%
	@mkdir -p $(@D)
	@cp $< $@
