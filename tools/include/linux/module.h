/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_MODULE_H
#define QUIRE_TOOLS_LINUX_MODULE_H

#define MODULE_INFO(tag, info)		struct quire_module_info
#define MODULE_DESCRIPTION(text)	struct quire_module_info
#define MODULE_LICENSE(text)		struct quire_module_info
#define MODULE_AUTHOR(text)		struct quire_module_info

#endif
