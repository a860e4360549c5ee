/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_INDIRECT_CALL_WRAPPER_H
#define QUIRE_TOOLS_LINUX_INDIRECT_CALL_WRAPPER_H

#define INDIRECT_CALL_1(f, f1, ...)	((f) == (f1) ? (f1)(__VA_ARGS__) : (f)(__VA_ARGS__))

#endif
