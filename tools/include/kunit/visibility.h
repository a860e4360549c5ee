/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_KUNIT_VISIBILITY_H
#define QUIRE_TOOLS_KUNIT_VISIBILITY_H

#define VISIBLE_IF_KUNIT	static
#define EXPORT_SYMBOL_IF_KUNIT(symbol)	struct quire_module_info

#endif
