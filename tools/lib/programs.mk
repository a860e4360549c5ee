# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# How the user-space programs are built; included by their Makefiles.
#
# A Makefile sets PROGRAMS, for each program NAME the list NAME-y of its
# sources, and includes this file.  O= says where the results go.  Needs the
# packages libdrm-dev, libpng-dev and nettle-dev.

TOOLS := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
TOP := $(abspath $(TOOLS)/..)
O ?= $(TOP)/build/$(notdir $(CURDIR))
PKG_CONFIG ?= pkg-config

override CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror $(CFLAGS)
override CPPFLAGS += -D_GNU_SOURCE -I$(TOOLS)/lib -I$(TOP)/include/uapi/drm
override CPPFLAGS += $(shell $(PKG_CONFIG) --cflags libdrm)
LDLIBS += $(shell $(PKG_CONFIG) --libs libdrm) $(EXTRA_LDLIBS)

VPATH := $(CURDIR) $(TOOLS)/lib
ALL_OBJECTS :=

all: $(addprefix $(O)/,$(PROGRAMS))

define program
ALL_OBJECTS += $$(patsubst %.c,$(O)/.obj/%.o,$$(notdir $$($(1)-y)))
$(O)/$(1): $$(patsubst %.c,$(O)/.obj/%.o,$$(notdir $$($(1)-y)))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))

$(addprefix $(O)/,$(PROGRAMS)):
	@echo "  CC      $(@F)"; $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

$(O)/.obj/%.o: %.c | $(O)/.obj
	@echo "  CC      $(@F)"; $(CC) $(CPPFLAGS) $(CFLAGS) -MD -MP -c -o $@ $<

$(O)/.obj:
	@mkdir -p $@

list:
	@printf '%s\n' $(PROGRAMS)

clean:
	rm -rf $(addprefix $(O)/,$(PROGRAMS)) $(O)/.obj

# Without the sources, which the rule finds: one that moved would stop make.
DEPENDS := $(wildcard $(sort $(ALL_OBJECTS:.o=.d)))
$(if $(DEPENDS),$(shell sed -i 's/ [^ ]*\.c\>//' $(DEPENDS)))
-include $(DEPENDS)

.PHONY: all list clean
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
