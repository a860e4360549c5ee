/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM quire

#if !defined(QUIRE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define QUIRE_TRACE_H

#include <linux/device.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

struct drm_gem_object;
struct quire_paging_buffer;

#define quire_trace_segment(segment)			\
	__print_symbolic(segment,			\
			 { QUIRE_PL_SYSTEM, "system" },	\
			 { QUIRE_PL_VRAM, "vram" },	\
			 { QUIRE_PL_APERTURE, "aperture" })

TRACE_EVENT(quire_bo_move_begin,
	    TP_PROTO(struct drm_gem_object *obj, u32 src, u32 dst, bool evict),
	    TP_ARGS(obj, src, dst, evict),
	    TP_STRUCT__entry(__string(dev, dev_name(obj->dev->dev))
			     __field(const void *, bo)
			     __field(u64, size)
			     __field(u32, src)
			     __field(u32, dst)
			     __field(bool, evict)),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = obj;
			   __entry->size = obj->size;
			   __entry->src = src;
			   __entry->dst = dst;
			   __entry->evict = evict;),
	    TP_printk("dev=%s bo=%p src=%s dst=%s size=%llu evict=%d",
		      __get_str(dev), __entry->bo, quire_trace_segment(__entry->src),
		      quire_trace_segment(__entry->dst), __entry->size, __entry->evict)
);

TRACE_EVENT(quire_bo_move_end,
	    TP_PROTO(struct drm_gem_object *obj, u32 src, u32 dst, bool evict, int ret),
	    TP_ARGS(obj, src, dst, evict, ret),
	    TP_STRUCT__entry(__string(dev, dev_name(obj->dev->dev))
			     __field(const void *, bo)
			     __field(u64, size)
			     __field(u32, src)
			     __field(u32, dst)
			     __field(bool, evict)
			     __field(int, ret)),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = obj;
			   __entry->size = obj->size;
			   __entry->src = src;
			   __entry->dst = dst;
			   __entry->evict = evict;
			   __entry->ret = ret;),
	    TP_printk("dev=%s bo=%p src=%s dst=%s size=%llu evict=%d ret=%d",
		      __get_str(dev), __entry->bo, quire_trace_segment(__entry->src),
		      quire_trace_segment(__entry->dst), __entry->size, __entry->evict,
		      __entry->ret)
);

TRACE_EVENT(quire_paging_buffer_submit,
	    TP_PROTO(struct device *device, const struct quire_paging_buffer *buffer),
	    TP_ARGS(device, buffer),
	    TP_STRUCT__entry(__string(dev, dev_name(device))
			     __field(u64, gpu_address)
			     __field(u32, bytes)
			     __field(u32, records)),
	    TP_fast_assign(__assign_str(dev);
			   __entry->gpu_address = buffer->gpu_address;
			   __entry->bytes = buffer->used;
			   __entry->records = buffer->nr_records;),
	    TP_printk("dev=%s gpu_address=%#llx bytes=%u records=%u",
		      __get_str(dev), __entry->gpu_address, __entry->bytes, __entry->records)
);

TRACE_EVENT(quire_paging_buffer_done,
	    TP_PROTO(struct device *device, u64 seqno, u64 gpu_address, int error),
	    TP_ARGS(device, seqno, gpu_address, error),
	    TP_STRUCT__entry(__string(dev, dev_name(device))
			     __field(u64, seqno)
			     __field(u64, gpu_address)
			     __field(int, error)),
	    TP_fast_assign(__assign_str(dev);
			   __entry->seqno = seqno;
			   __entry->gpu_address = gpu_address;
			   __entry->error = error;),
	    TP_printk("dev=%s seqno=%llu gpu_address=%#llx error=%d",
		      __get_str(dev), __entry->seqno, __entry->gpu_address, __entry->error)
);

#endif

/* This part must be outside protection */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE quire_trace
#include <trace/define_trace.h>

#include "core/quire_placement.h"
