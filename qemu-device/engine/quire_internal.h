/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what its files share and nobody else sees.
 */
#ifndef QUIRE_INTERNAL_H
#define QUIRE_INTERNAL_H

#include <string.h>

#include "quire_engine.h"
#include "quire_layout.h"

/**
 * struct quire_budget - what is left of the slice for a ring
 * @start: when its share began
 * @ns: how long that is
 * @bytes: bytes to copy, fill or clear until the next look at the clock
 * @used: bytes that were taken and are not in the engine's count of work
 *
 * A step may overdraw by one smallest unit of its operation, so that every
 * slice makes progress.
 */
struct quire_budget {
	uint64_t start;
	uint64_t ns;
	uint64_t bytes;
	uint64_t used;
};

/*
 * What else takes time, in bytes that are copied meanwhile: a packet, an entry
 * with what is written when it is done, a mapping, a page to (un)map.
 */
#define QUIRE_COST_PACKET	0x1000u
#define QUIRE_COST_ENTRY	0x4000u
#define QUIRE_COST_MAPPING	0x1000u
#define QUIRE_COST_PAGE		8u

/* Segments that packets name are below. */
#define QUIRE_SEGMENTS		QUIRE_SEGMENT_MMU(QUIRE_MMU_COUNT)

/* An entry of a flat MMU: page-aligned address and these bits; 0 if nothing is mapped. */
#define QUIRE_FLAT_VALID	0x1ull
#define QUIRE_FLAT_COHERENT	0x2ull /* of system memory */
#define QUIRE_FLAT_VRAM		0x4ull
#define QUIRE_FLAT_BITS		(QUIRE_FLAT_VALID | QUIRE_FLAT_COHERENT | QUIRE_FLAT_VRAM)

/* Segments that no packet names; entries of page tables have five bits for theirs. */
#define QUIRE_SEGMENT_VIRTUAL	32u /* virtual addresses */
#define QUIRE_SEGMENT_NOWHERE	33u /* no memory: reads as zero, what is written is lost */

/**
 * struct quire_place - bytes that are contiguous
 * @segment: %QUIRE_SEGMENT_VRAM, %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_NOWHERE
 * @addr: VRAM offset or DMA address of the first
 * @len: how many
 * @posted: what is written there goes through the write buffer
 */
struct quire_place {
	uint32_t segment;
	uint64_t addr;
	uint64_t len;
	bool posted;
};

/* Entries of a table that are read together. */
#define QUIRE_WALK_ENTRIES	QUIRE_PT_ENTRIES_64K

/**
 * struct quire_walk - where a walk of the page tables has ended
 * @known: in a table of level 0, and the rest counts
 * @region: of virtual addresses: number of the 2 MiB that the table translates
 * @table: the table: an entry that leads to it
 * @first: number of the first entry that is in @entries
 * @count: how many are, 0 or %QUIRE_WALK_ENTRIES
 * @entries: as they were when they were read
 */
struct quire_walk {
	bool known;
	uint64_t region;
	uint64_t table;
	uint32_t first;
	uint32_t count;
	uint64_t entries[QUIRE_WALK_ENTRIES];
};

/**
 * struct quire_space - how a side that has virtual addresses is translated
 * @root: of the address space
 * @access: QUIRE_ACCESS_*: what is done there
 * @segments: a bit for each segment that its pages may be in; 0: any
 * @least_shift: log2 of the bytes that its pages have at least; 0: any
 * @walk: where the last byte was found
 * @ahead: the same for who looks ahead
 */
struct quire_space {
	uint64_t root;
	uint32_t access;
	uint32_t segments;
	uint32_t least_shift;
	struct quire_walk walk;
	struct quire_walk ahead;
};

/**
 * struct quire_side - where one side of an operation lies
 * @segment: QUIRE_SEGMENT_*
 * @address: byte offset in the segment; DMA address in system memory; virtual address
 * @len: bytes from @address on that are accessed, in VRAM or the aperture; 0 if there is
 *       no such side, or it is not accessed
 * @runs: little endian page runs, or NULL; then @list counts
 * @list: little endian page numbers, one for each page, or NULL; then @address counts
 * @run_count: number of @runs
 * @run: index of the run at the cursor
 * @run_start: byte position of the first byte of @run
 * @found: byte position from where on the bytes of @place are
 * @place: they lie there; none if nothing is known
 * @space: of virtual addresses
 */
struct quire_side {
	uint32_t segment;
	uint64_t address;
	uint64_t len;
	const uint8_t *runs;
	const uint8_t *list;
	uint32_t run_count;
	uint32_t run;
	uint64_t run_start;
	uint64_t found;
	struct quire_place place;
	struct quire_space space;
};

/**
 * struct quire_page - a translation
 * @va: virtual address of its first byte
 * @shift: log2 of its bytes
 * @entry: the page-table entry, which is one of a page that can be
 */
struct quire_page {
	uint64_t va;
	uint32_t shift;
	uint64_t entry;
};

/**
 * struct quire_table_write - what is written to a page table
 * @entries: little endian entries, or ranges, of the packet
 * @level: of the table
 * @start: first entry
 * @count: how many
 */
struct quire_table_write {
	const uint8_t *entries;
	uint32_t level;
	uint32_t start;
	uint32_t count;
};

/**
 * struct quire_notice - what a notice of residency says
 * @allocation: whose pages come or leave
 * @segment: where; unused if all of them leave
 * @offset: number of the first page in the allocation
 * @pages: how many
 */
struct quire_notice {
	uint32_t allocation;
	uint32_t segment;
	uint32_t offset;
	uint32_t pages;
};

/**
 * struct quire_runs - page runs of a packet that no side has taken yet
 * @at: the first, little endian
 * @count: how many
 */
struct quire_runs {
	const uint8_t *at;
	uint32_t count;
};

/* Bytes that a command counts with in one step, at most. */
#define QUIRE_BLOCK		4096u

/* Pages of all system memory there can be. */
#define QUIRE_SYSTEM_PAGES	(1ull << (64 - QUIRE_PAGE_SHIFT))

/**
 * struct quire_swizzle - the rectangle of a transfer that converts, in bytes
 * @tile_shift: log2 of the bytes of a tile
 * @tile_width_shift: log2 of the bytes of a row of a tile
 * @tile_height_shift: log2 of the rows of a tile
 * @column_bits: log2 of the lines of a row of a tile
 * @tiles_per_row: tiles of a row of the surface
 * @tiles: those of them that the rectangle touches
 * @x: column of the first byte in the surface
 * @y: first row in the surface
 * @pitch: bytes from row to row of the linear side
 * @row_bytes: bytes of a row of the rectangle
 * @rows: rows of the rectangle
 * @span: bytes of the linear side from the first to the last; 0 if nothing is converted
 * @first_band: first row of tiles, in the surface, whose addresses are at hand
 * @bands: how many of them, 0 after the packet was decoded
 */
struct quire_swizzle {
	uint32_t tile_shift;
	uint32_t tile_width_shift;
	uint32_t tile_height_shift;
	uint32_t column_bits;
	uint32_t tiles_per_row;
	uint32_t tiles;
	uint32_t x;
	uint32_t y;
	uint32_t pitch;
	uint32_t row_bytes;
	uint32_t rows;
	uint64_t span;
	uint32_t first_band;
	uint32_t bands;
};

/**
 * struct quire_plane - the part of a surface that a rectangle has, in elements
 * @layout: of the image; the side says where it begins
 * @surface: the level of the slice
 * @x: first column
 * @y: first row
 */
struct quire_plane {
	struct quire_layout layout;
	struct quire_surface surface;
	uint32_t x;
	uint32_t y;
};

/**
 * struct quire_rectangles - what a command copies from a surface to another one, clipped
 * @src: where it is read
 * @dst: where it is written
 * @row_bytes: bytes of a row; 0 if nothing is left
 */
struct quire_rectangles {
	struct quire_plane src;
	struct quire_plane dst;
	uint32_t row_bytes;
};

/**
 * struct quire_op - a decoded packet, checked against all but host memory
 * @opcode: enum quire_opcode, or enum quire_command_opcode
 * @flags: of the header
 * @size: bytes of the packet
 * @addr: address of the packet, as the ring has it
 * @in_context: virtual addresses are those of a context
 * @root: of its address space
 * @has_registers: and it has a save area, on an execution ring
 * @number: of a register
 * @src: source, for operations that read
 * @dst: destination, for operations that write; aperture range of (un)map
 * @result: where a command says what it has found out
 * @total: units of work: bytes, or pages of the aperture, or nanoseconds; 0 if there is
 *         nothing to do
 * @table: of what writes page tables, or tells where fences are
 * @notice: of residency; its pages are those of @src, and of @dst once more
 * @backward: copy from the end, because the sides overlap
 * @pattern: of a fill
 * @value: of a write, a wait, a signal or a register; dummy page of an unmap; range of a special
 *         lock; root of a flush
 * @native: number of the native fence that is signalled
 * @swizzle: of a packet that converts
 * @rectangles: of a command on surfaces
 * @waiting: the packet was begun, and waits
 * @wait_until: it need not be looked at before; of the machine's time
 * @wait_for: a bit for each ring whose work, at work when the packet looked, has to end
 * @since: when a WAIT_VALUE began to wait; of a DELAY, up to when the time that passed is in
 *         &quire_ring.done
 */
struct quire_op {
	uint16_t opcode;
	uint16_t flags;
	uint32_t size;
	uint64_t addr;
	bool in_context;
	uint64_t root;
	bool has_registers;
	uint32_t number;
	struct quire_side src;
	struct quire_side dst;
	struct quire_side result;
	uint64_t total;
	struct quire_table_write table;
	struct quire_notice notice;
	bool backward;
	uint32_t pattern;
	uint64_t value;
	uint32_t native;
	struct quire_swizzle swizzle;
	struct quire_rectangles rectangles;
	bool waiting;
	uint64_t wait_until;
	uint32_t wait_for;
	uint64_t since;
};

/**
 * struct quire_mapping - memory of one piece of one side
 * @ptr: first byte; NULL if what is written is lost
 * @len: bytes
 * @dma: mapped by the host: to be unmapped
 * @posted: of a source: it is in the write buffer, where its place may be taken by others later; of
 *          a destination: what is written has to go there
 */
struct quire_mapping {
	void *ptr;
	uint64_t len;
	bool dma;
	bool posted;
};

/**
 * struct quire_piece - bytes that are contiguous on both sides, or on the linear side of a
 *                      conversion, which is the only one that is mapped then
 * @src: mapping of the source, at least as long as @dst; unused if @from is NULL
 * @dst: mapping of the destination, which is the piece
 * @from: first byte to copy of @src; NULL to fill @dst
 * @to: where @dst is: VRAM offset or DMA address; of a copy
 */
struct quire_piece {
	struct quire_mapping src;
	struct quire_mapping dst;
	const void *from;
	uint64_t to;
};

/* Tiles that are at hand; a row of a surface has at most half of them. */
#define QUIRE_TILES		2048u

/**
 * struct quire_tiles - the tiled side of work that converts
 * @swizzle: what is converted
 * @to_tiles: from linear memory to tiles, else from tiles to linear memory
 * @stream: it is so long that it goes past the caches
 * @pos: byte of the rectangle with which the first piece begins
 * @tile: the tiles of the rectangle, band after band, from @first_band of @swizzle on
 */
struct quire_tiles {
	struct quire_swizzle swizzle;
	bool to_tiles;
	bool stream;
	uint64_t pos;
	uint8_t *tile[QUIRE_TILES];
};

/* Pieces of what is done at once, and of what is started. */
#define QUIRE_WORK_PIECES_NOW	16u
#define QUIRE_WORK_PIECES	256u

/* Who resets or stops the device waits for so many bytes. */
#define QUIRE_WORK_BYTES	(4ull << 20)

/**
 * struct quire_work - a part of a copy or a fill: all that it takes to do it
 * @pieces: in the order in which they are done
 * @count: of @pieces
 * @most: of @pieces
 * @bytes: of all pieces
 * @max: bytes that it may have
 * @least: bytes from which it is started, rather than done at once
 * @pattern: for pieces that are filled
 * @phase: byte of the pattern with which the first of them begins
 * @converts: pieces are the linear side of a conversion
 * @tiles: its tiled side; they stay from one part of a packet to the next
 * @running: started and not ended: another thread has it
 */
struct quire_work {
	struct quire_piece pieces[QUIRE_WORK_PIECES];
	unsigned int count;
	unsigned int most;
	uint64_t bytes;
	uint64_t max;
	uint64_t least;
	uint32_t pattern;
	uint32_t phase;
	bool converts;
	struct quire_tiles tiles;
	bool running;
};

/**
 * struct quire_error - result of a check or a step
 * @code: enum quire_fault, QUIRE_FAULT_NONE if all is well
 * @addr: address that was refused or failed
 * @entry: of faults of an address space: the page-table entry
 * @access: of these: QUIRE_ACCESS_OF()
 */
struct quire_error {
	enum quire_fault code;
	uint64_t addr;
	uint64_t entry;
	uint32_t access;
};

#define QUIRE_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define QUIRE_OK		((struct quire_error){ .code = QUIRE_FAULT_NONE })
#define QUIRE_ERROR(code, addr)	((struct quire_error){ (code), (addr), 0, 0 })

static inline uint64_t quire_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t quire_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool quire_range_ok(uint64_t offset, uint64_t len, uint64_t size)
{
	return len <= size && offset <= size - len;
}

/* Does the ring execute paging operations, rather than commands? */
static inline bool quire_is_paging(const struct quire_engine *engine,
				   const struct quire_ring *ring)
{
	return ring == &engine->ring[QUIRE_RING_PAGING];
}

static inline bool quire_page_aligned(uint64_t value)
{
	return !(value & (QUIRE_PAGE_SIZE - 1));
}

static inline uint32_t quire_get_le16(const void *from)
{
	const uint8_t *p = from;

	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t quire_get_le32(const void *from)
{
	const uint8_t *p = from;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t quire_get_le64(const void *from)
{
	return quire_get_le32(from) |
	       (uint64_t)quire_get_le32((const uint8_t *)from + 4) << 32;
}

/* Compilers make one store of these; of a loop they do not. */
static inline void quire_put_le32(uint8_t *to, uint32_t value)
{
	to[0] = value;
	to[1] = value >> 8;
	to[2] = value >> 16;
	to[3] = value >> 24;
}

static inline void quire_put_le64(uint8_t *to, uint64_t value)
{
	quire_put_le32(to, value);
	quire_put_le32(to + 4, value >> 32);
}

/* Read a little endian field of the packet structure @type at @packet. */
#define QUIRE_GET16(packet, type, field) \
	quire_get_le16((packet) + offsetof(struct type, field))
#define QUIRE_GET32(packet, type, field) \
	quire_get_le32((packet) + offsetof(struct type, field))
#define QUIRE_GET64(packet, type, field) \
	quire_get_le64((packet) + offsetof(struct type, field))

/* QUIRE_SPECIAL_LOCK_RANGE(), taken apart. */
static inline uint32_t quire_named_range(uint32_t named)
{
	return named & 0xffff;
}

static inline uint32_t quire_named_data(uint32_t named)
{
	return named >> 16;
}

static inline void quire_event(struct quire_engine *engine, enum quire_event event,
			       const struct quire_ring *ring, uint64_t a, uint64_t b)
{
	if (engine->ops->event)
		engine->ops->event(engine->opaque, event, ring - engine->ring, a, b);
}

/* quire_budget.c */
void quire_budget_begin(const struct quire_engine *engine, struct quire_budget *budget,
			uint64_t now, uint64_t ns);
void quire_budget_take(struct quire_budget *budget, uint64_t bytes);
void quire_budget_count(struct quire_engine *engine, struct quire_budget *budget);
bool quire_budget_left(struct quire_engine *engine, struct quire_budget *budget);

/* quire_interrupt.c */
void quire_interrupt(struct quire_engine *engine, unsigned int vector);

/* quire_dma.c */
uint64_t quire_dma_read(struct quire_engine *engine, uint64_t addr, void *to, uint64_t len);
bool quire_dma_write(struct quire_engine *engine, uint64_t addr, const void *from,
		     uint64_t len);
bool quire_dma_read32(struct quire_engine *engine, uint64_t addr, uint32_t *value);

/* quire_ring.c */
void quire_ring_settle(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_control(struct quire_engine *engine, struct quire_ring *ring, uint32_t old);
void quire_ring_doorbell(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_reset(struct quire_engine *engine, struct quire_ring *ring);
bool quire_ring_runnable(const struct quire_engine *engine, const struct quire_ring *ring);
uint32_t quire_ring_status(const struct quire_ring *ring);
struct quire_error quire_ring_check(const struct quire_ring *ring);
bool quire_ring_submission_ok(const struct quire_ring *ring);
void quire_ring_resume(struct quire_engine *engine, struct quire_ring *ring);
void quire_ring_run(struct quire_engine *engine, struct quire_ring *ring,
		    struct quire_budget *budget);

/* quire_history.c */
void quire_history_add(struct quire_ring *ring, const struct quire_op *op);
uint64_t quire_history_packets(const struct quire_ring *ring);
struct quire_record quire_history_get(const struct quire_ring *ring);
const char *quire_check_history(const struct quire_engine *engine,
				const struct quire_ring *ring);

/**
 * struct quire_operation - how packets of one opcode look
 * @fixed: bytes of the packet without its runs
 * @runs: page runs, or page numbers, or what is ignored, may follow
 * @flags: allowed flags of the header
 * @one_flag: exactly one of them
 * @decode: fills in and checks the operation; the size is right
 */
struct quire_operation {
	uint32_t fixed;
	bool runs;
	uint16_t flags;
	bool one_flag;
	struct quire_error (*decode)(const struct quire_engine *engine, const uint8_t *p,
				     struct quire_op *op);
};

/* quire_packet.c */
struct quire_error quire_packet_decode(const struct quire_engine *engine,
				       const struct quire_ring *ring, uint32_t offset,
				       struct quire_op *op);
bool quire_packet_fits(const struct quire_engine *engine, const struct quire_ring *ring,
		       uint32_t header, uint32_t left);
bool quire_overlaps_upward(const struct quire_op *op);
bool quire_opcode_ok(const struct quire_engine *engine, const struct quire_ring *ring,
		     uint32_t opcode);
struct quire_error quire_packet_unmapped(const struct quire_engine *engine,
					 const struct quire_op *op, bool begins);

/* quire_command_packet.c */
const struct quire_operation *quire_command_find(uint16_t opcode);
struct quire_error quire_command_side(const struct quire_engine *engine,
				      const struct quire_op *op, uint32_t access,
				      uint64_t address, uint64_t len, uint64_t align,
				      struct quire_side *side);
uint64_t quire_segment_size(const struct quire_engine *engine, uint32_t segment);
struct quire_error quire_command_segment(const struct quire_op *op, uint32_t access,
					 uint64_t address, struct quire_side *side);

/* quire_virtual_packet.c */
const struct quire_operation *quire_virtual_find(uint16_t opcode);

/* quire_surface_packet.c */
struct quire_error quire_surfaces_decode(const struct quire_engine *engine, const uint8_t *p,
					 struct quire_op *op);

/* quire_range.c */
void quire_range_control(struct quire_engine *engine, struct quire_range *range, uint32_t old);
uint32_t quire_range_oldest(const struct quire_engine *engine);
void quire_range_let_go(struct quire_engine *engine, uint32_t named);
void quire_ranges_reset(struct quire_engine *engine);
const char *quire_check_ranges(const struct quire_engine *engine);

/* quire_runs.c */
struct quire_runs quire_runs_of(const uint8_t *packet, uint32_t fixed, uint32_t size);
bool quire_runs_take(struct quire_runs *runs, uint64_t pages, uint64_t end, uint32_t unit,
		     struct quire_side *side);

/* quire_swizzle_packet.c */
struct quire_error quire_swizzle_decode(const struct quire_engine *engine, const uint8_t *p,
					struct quire_op *op);

/* quire_check_fault.c */
const char *quire_check_fault(const struct quire_engine *engine, const struct quire_ring *ring);

/* quire_execute.c */
struct quire_error quire_execute(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);

/* quire_fill.c */
void quire_fill_part(struct quire_engine *engine, struct quire_ring *ring,
		     uint64_t offset, uint64_t left, uint64_t unit, uint32_t pattern,
		     struct quire_budget *budget);
struct quire_error quire_fill_range(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget);

/* quire_bytes.c */
struct quire_error quire_bytes_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t pos, void *to, uint64_t len);
struct quire_error quire_bytes_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t pos, const void *from, uint64_t len);
struct quire_error quire_value_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t *value);
struct quire_error quire_value_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t value);
struct quire_error quire_value_signal(struct quire_engine *engine, struct quire_side *side,
				      uint64_t value);

/* quire_command.c */
struct quire_error quire_command(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);
uint64_t quire_command_unit(const struct quire_op *op);
uint64_t quire_command_block(const struct quire_ring *ring, const struct quire_op *op,
			     const struct quire_budget *budget);
void quire_command_done(struct quire_ring *ring, struct quire_budget *budget, uint64_t bytes);

/* quire_register.c */
struct quire_error quire_register(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget);
bool quire_registers_clear(const struct quire_ring *ring);

/* quire_rectangle.c */
struct quire_error quire_rectangle(struct quire_engine *engine, struct quire_ring *ring,
				   struct quire_op *op, struct quire_budget *budget);

/* quire_checksum.c */
struct quire_error quire_checksum(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget);

/* quire_compare.c */
struct quire_error quire_compare(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);
const char *quire_check_kept(const struct quire_ring *ring, const struct quire_op *op);

/* quire_wait.c */
struct quire_error quire_wait_value(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget);
void quire_delay(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);
bool quire_waits(const struct quire_engine *engine, const struct quire_ring *ring);
void quire_wait_settle(struct quire_engine *engine, struct quire_ring *ring);
void quire_waits_look(struct quire_engine *engine);
void quire_waits_alarm(struct quire_engine *engine);
bool quire_wait_for_rings(struct quire_engine *engine, struct quire_ring *ring,
			  struct quire_op *op, uint32_t rings);
void quire_wait_ended(struct quire_engine *engine, const struct quire_ring *ring);
void quire_unmap_wait(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);

/* quire_copy.c */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget);

struct quire_error quire_map_piece(struct quire_engine *engine, const struct quire_place *place,
				   bool write, struct quire_mapping *map);
void quire_unmap_piece(struct quire_engine *engine, const struct quire_mapping *map, bool write,
		       uint64_t touched);

/* quire_swizzle.c */
struct quire_error quire_swizzle_copy(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget);
void quire_swizzle_dirty(struct quire_engine *engine, const struct quire_work *work);

/* quire_tiles.c */
void quire_tiles_do(const struct quire_tiles *tiles, const struct quire_piece *pieces,
		    unsigned int count);

/* quire_work.c */
bool quire_work_init(struct quire_engine *engine);
void quire_work_fini(struct quire_engine *engine);
struct quire_work *quire_work_begin(struct quire_engine *engine, const struct quire_ring *ring,
				    uint64_t left, uint64_t unit,
				    const struct quire_budget *budget);
bool quire_work_add(struct quire_engine *engine, struct quire_work *work,
		    const struct quire_piece *piece, struct quire_budget *budget);
void quire_work_go(struct quire_engine *engine, struct quire_ring *ring,
		   struct quire_budget *budget);
bool quire_work_running(const struct quire_engine *engine, const struct quire_ring *ring);
bool quire_work_end(struct quire_engine *engine, struct quire_ring *ring, bool wait);

/* quire_posted.c */
uint64_t quire_posted_ahead(struct quire_engine *engine, struct quire_op *op, uint64_t done,
			    bool *posted);
void quire_posted_hold(struct quire_engine *engine, uint64_t addr, const void *from,
		       uint32_t len);
void *quire_posted_read(struct quire_engine *engine, uint64_t addr, uint64_t *len);
void quire_posted_give_way(struct quire_engine *engine, uint64_t addr, uint64_t len);
void quire_posted_flush(struct quire_engine *engine);
void quire_posted_drop(struct quire_engine *engine);
void quire_posted_count(struct quire_engine *engine);
const char *quire_check_posted(const struct quire_engine *engine);

/* quire_side.c */
struct quire_error quire_side_next(struct quire_engine *engine, struct quire_side *side,
				   uint64_t pos, uint64_t max, struct quire_place *place);
struct quire_error quire_side_prev(struct quire_engine *engine, struct quire_side *side,
				   uint64_t end, uint64_t max, struct quire_place *place);
void quire_side_forget(struct quire_side *side);
bool quire_side_posted(struct quire_engine *engine, struct quire_side *side, uint64_t pos);

/* quire_mmu.c */
struct quire_error quire_mmu_next(struct quire_engine *engine, struct quire_space *space,
				  uint64_t va, uint64_t max, struct quire_place *place);
struct quire_error quire_mmu_prev(struct quire_engine *engine, struct quire_space *space,
				  uint64_t end, uint64_t max, struct quire_place *place);

/* quire_walk.c */
struct quire_error quire_walk_page(struct quire_engine *engine, struct quire_space *space,
				   uint64_t va, struct quire_page *page);

/* quire_tlb.c */
bool quire_tlb_init(struct quire_engine *engine);
void quire_tlb_fini(struct quire_engine *engine);
bool quire_tlb_find(const struct quire_engine *engine, uint64_t root, uint64_t va,
		    struct quire_page *page);
void quire_tlb_add(struct quire_engine *engine, uint64_t root, const struct quire_page *page);
void quire_tlb_flush(struct quire_engine *engine, uint64_t root, uint64_t start, uint64_t end);
void quire_tlb_reset(struct quire_engine *engine);
uint64_t quire_tlb_drop(struct quire_engine *engine, const struct quire_place *place);

/* quire_allocation.c */
struct quire_error quire_notify_allocation(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op, struct quire_budget *budget);
bool quire_allocation_goes(const struct quire_engine *engine);

/* quire_context.c */
bool quire_context_ok(const struct quire_engine *engine, const struct quire_ring *ring);
struct quire_error quire_context_load(struct quire_engine *engine, struct quire_ring *ring);
void quire_context_latch(struct quire_engine *engine, const struct quire_ring *ring,
			 struct quire_error error);
struct quire_error quire_context_init(struct quire_engine *engine, struct quire_op *op);
struct quire_error quire_context_store(struct quire_engine *engine, struct quire_ring *ring);
struct quire_error quire_context_update(struct quire_engine *engine, struct quire_op *op);

/* quire_page_table.c */
struct quire_error quire_update_page_table(struct quire_engine *engine, struct quire_op *op);
struct quire_error quire_copy_page_table(struct quire_engine *engine, struct quire_ring *ring,
					 struct quire_op *op, struct quire_budget *budget);
void quire_flush_tlb(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);

/* quire_flat_packet.c */
const struct quire_operation *quire_flat_find(uint16_t opcode);

/* quire_flat.c */
bool quire_is_mmu(uint32_t segment);
bool quire_flat_init(struct quire_engine *engine);
void quire_flat_fini(struct quire_engine *engine);
void quire_flat_reset(struct quire_engine *engine, bool loading);
struct quire_error quire_flat_fault(uint32_t segment, uint64_t offset);
struct quire_error quire_flat_check(const struct quire_engine *engine,
				    const struct quire_side *side);
bool quire_flat_next(const struct quire_engine *engine, uint32_t segment, uint64_t offset,
		     uint64_t max, struct quire_place *place);
bool quire_flat_prev(const struct quire_engine *engine, uint32_t segment, uint64_t end,
		     uint64_t max, struct quire_place *place);
struct quire_error quire_map_mmu(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);
void quire_unmap_mmu(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op,
		     struct quire_budget *budget);
const char *quire_check_flat(const struct quire_engine *engine);

/* quire_native_packet.c */
const struct quire_operation *quire_native_find(uint16_t opcode);
struct quire_error quire_native_decode_signal(const struct quire_engine *engine, const uint8_t *p,
					      struct quire_op *op);
bool quire_native_place_ok(const struct quire_engine *engine, uint64_t address);

/* quire_native.c */
bool quire_native_init(struct quire_engine *engine);
void quire_native_fini(struct quire_engine *engine);
struct quire_error quire_notify_fences(struct quire_engine *engine, const struct quire_op *op);
struct quire_error quire_signal_native(struct quire_engine *engine, struct quire_ring *ring,
				       struct quire_op *op, struct quire_budget *budget);
uint64_t quire_get_native_owner(const struct quire_engine *engine, const struct quire_ring *ring);
uint64_t quire_get_native_current(const struct quire_engine *engine,
				  const struct quire_ring *ring);
uint64_t quire_get_native_monitored(const struct quire_engine *engine,
				    const struct quire_ring *ring);
const char *quire_check_native(const struct quire_engine *engine);

/* quire_table.c */
bool quire_table_init(struct quire_table *table, uint32_t pages);
void quire_table_fini(struct quire_table *table);
void quire_table_reset(struct quire_table *table, bool loading);
void quire_table_set(struct quire_table *table, uint32_t page, uint64_t entry);
uint32_t quire_table_next(const struct quire_table *table, uint32_t page, uint32_t end);
void quire_table_count(struct quire_table *table);

/* quire_extent.c */
bool quire_extents_init(struct quire_extents *extents, uint32_t pages);
void quire_extents_fini(struct quire_extents *extents);
void quire_extents_add(struct quire_extents *extents, uint32_t allocation, uint32_t page);
void quire_extents_remove(struct quire_extents *extents, uint32_t allocation);
void quire_extents_find(const struct quire_extents *extents, uint32_t allocation,
			uint32_t *first, uint32_t *end);

/* quire_residency_packet.c */
const struct quire_operation *quire_residency_find(uint16_t opcode);

/* quire_residency.c */
bool quire_residency_init(struct quire_engine *engine);
void quire_residency_fini(struct quire_engine *engine);
void quire_residency_reset(struct quire_engine *engine);
void quire_residency_count(struct quire_engine *engine);
uint32_t quire_residency_pages(const struct quire_engine *engine, uint32_t segment);
struct quire_error quire_notify_residency(struct quire_engine *engine, struct quire_ring *ring,
					  struct quire_op *op, struct quire_budget *budget);
bool quire_notify_changes(const struct quire_ring *ring, const struct quire_op *op);
void quire_notify_resume(struct quire_ring *ring, const struct quire_op *op);
uint64_t quire_get_residency_allocation(const struct quire_engine *engine,
					const struct quire_ring *ring);
uint64_t quire_get_residency_offset(const struct quire_engine *engine,
				    const struct quire_ring *ring);
uint64_t quire_get_residency_pages(const struct quire_engine *engine,
				   const struct quire_ring *ring);
const char *quire_check_notice(const struct quire_engine *engine, const struct quire_ring *ring,
			       const struct quire_op *op);
const char *quire_check_residency(const struct quire_engine *engine);

/* quire_aperture.c */
bool quire_aperture_init(struct quire_engine *engine);
void quire_aperture_fini(struct quire_engine *engine);
void quire_aperture_reset(struct quire_engine *engine);
void quire_aperture_set(struct quire_engine *engine, uint32_t page, uint64_t entry);
void quire_aperture_count(struct quire_engine *engine);
void quire_engine_reset_control(struct quire_engine *engine);
struct quire_error quire_aperture_check(const struct quire_engine *engine,
					const struct quire_side *side);
uint64_t quire_aperture_dummies(const struct quire_engine *engine, uint64_t offset,
				uint64_t len, uint64_t *first);
bool quire_aperture_next(const struct quire_engine *engine, uint64_t offset, uint64_t max,
			 struct quire_place *place);
bool quire_aperture_prev(const struct quire_engine *engine, uint64_t end, uint64_t max,
			 struct quire_place *place);

/* quire_dummy.c */
void quire_dummy_report(struct quire_engine *engine, const struct quire_ring *ring,
			const struct quire_op *op);
const char *quire_check_dummy(const struct quire_engine *engine);

/* quire_map.c */
struct quire_error quire_map_aperture(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget);
void quire_unmap_aperture(struct quire_engine *engine, struct quire_ring *ring,
			  struct quire_op *op, struct quire_budget *budget);

#endif
