/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_MINMAX_H
#define QUIRE_TOOLS_LINUX_MINMAX_H

#define min(x, y) ({				\
	__auto_type _min_x = (x);		\
	__auto_type _min_y = (y);		\
	_min_x < _min_y ? _min_x : _min_y; })

#define max(x, y) ({				\
	__auto_type _max_x = (x);		\
	__auto_type _max_y = (y);		\
	_max_x > _max_y ? _max_x : _max_y; })

#define min3(x, y, z) ({			\
	__auto_type _min3_x = (x);		\
	__auto_type _min3_y = (y);		\
	__auto_type _min3_z = (z);		\
	_min3_x = _min3_y < _min3_x ? _min3_y : _min3_x;	\
	_min3_z < _min3_x ? _min3_z : _min3_x; })

#define swap(a, b) do {				\
	__auto_type _swap = (a);		\
	(a) = (b);				\
	(b) = _swap;				\
} while (0)

#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))

#endif
