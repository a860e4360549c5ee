# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# How the user-space programs are built; included by their Makefiles.
#
# A Makefile sets PROGRAMS and, for each program NAME, the list NAME-y of its own sources, with
# their folders below VPATH; then it includes this file.  KERNEL_SOURCES are those among them that
# include headers of the driver.  Programs are linked with libquire.a, and with those of LIBRARIES,
# folders of tools with sources, each before those that it uses.  O= says where the results go.
# Needs the packages libdrm-dev, libpng-dev and nettle-dev.

TOOLS := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
TOP := $(abspath $(TOOLS)/..)
DRIVER := $(TOP)/drivers/gpu/drm/quire
O ?= $(TOP)/build/$(notdir $(CURDIR))
PKG_CONFIG ?= pkg-config

override CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror $(CFLAGS)
LIBRARIES += libquire
override CPPFLAGS += -D_GNU_SOURCE $(addprefix -I$(TOOLS)/,$(LIBRARIES)) \
	-I$(TOP)/include -I$(TOP)/include/uapi/drm $(shell $(PKG_CONFIG) --cflags libdrm)
LDLIBS += $(shell $(PKG_CONFIG) --libs libdrm) $(EXTRA_LDLIBS)

VPATH := $(CURDIR) $(TOOLS) $(DRIVER)

all: $(addprefix $(O)/,$(PROGRAMS))

# objects SOURCES
objects = $(patsubst %.c,$(O)/.obj/%.o,$(1))
# sources ROOT,PATTERNS: the files below ROOT, named from there
sources = $(patsubst $(1)/%,%,$(wildcard $(addprefix $(1)/,$(2))))

ARCHIVES := $(LIBRARIES:%=$(O)/.obj/%.a)
$(foreach l,$(LIBRARIES),$(eval $(O)/.obj/$(l).a: $(call objects,$(call sources,$(TOOLS),$(l)/*.c))))

$(ARCHIVES):
	@rm -f $@; $(AR) rcs $@ $^

$(foreach p,$(PROGRAMS),$(eval $(O)/$(p): $(call objects,$($(p)-y))))

$(addprefix $(O)/,$(PROGRAMS)): $(ARCHIVES)
	@echo "  CC      $(@F)"; $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(ARCHIVES) $(LDLIBS)

$(O)/.obj/%.o: %.c
	@echo "  CC      $(@F)"; mkdir -p $(@D); $(CC) $(CPPFLAGS) $(CFLAGS) -MD -MP -c -o $@ $<

# The kernel's headers as tools/include has them. Functions of a table take what any of them needs:
# unused parameters are no mistake.
$(call objects,$(KERNEL_SOURCES)): override CPPFLAGS += -Wno-unused-parameter -I$(TOOLS)/include \
	-I$(DRIVER)/paging -I$(DRIVER)/commands -I$(DRIVER)/commands/tests

list:
	@printf '%s\n' $(PROGRAMS)

clean:
	rm -rf $(addprefix $(O)/,$(PROGRAMS)) $(O)/.obj

# Without the sources, which the rule finds: one that moved would stop make.
DEPENDS := $(shell find $(O)/.obj -name '*.d' 2>/dev/null)
$(if $(DEPENDS),$(shell sed -i 's/ [^ ]*\.c\>//' $(DEPENDS)))
-include $(DEPENDS)

.PHONY: all list clean
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
