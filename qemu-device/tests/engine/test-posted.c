// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: page tables and the write buffer. Of an entry a part may be posted; and a page
 * that was not coherent when the engine looked for the buffer may be VRAM when it writes.
 */
#include <string.h>

#include "mmu.h"
#include "tap.h"

#define VA		0x100000000000ull
#define AT_TABLE	0x200000000000ull	/* shows the table of level 0 for VA */
#define SRC		0x300000000000ull
#define OUT		0x400000000000ull
#define PAGES		17u	/* one more than the entries that are read together */

/* Half of an entry is written through the buffer, the other one is in memory. */
static void test_part(uint64_t index, unsigned int skip)
{
	struct mmu *m = mmu_new(0, 0, 0, 0);
	unsigned int segment;
	uint64_t va = VA + index * PAGE, entry = PTE_VRAM | 5 * PAGE, table;

	space_page(&m->space, va, entry);
	space_page(&m->space, SRC, PTE_VRAM | 6 * PAGE);
	space_page(&m->space, OUT, PTE_VRAM | 7 * PAGE);
	table = space_table(&m->space, VA, 0, &segment);
	space_page(&m->space, AT_TABLE, PTE_SYSTEM | table);
	place_put(m->host, 1, 5 * PAGE, 55);
	place_put(m->host, 1, 6 * PAGE, entry);
	/* what is in memory of the half that is posted is nonsense */
	memset(host_ram(m->host, table + 8 * index + skip, 4), 0x77, 4);
	m->p.size = 0;
	command_copy(&m->p, SRC + skip, AT_TABLE + 8 * index + skip, 4);
	command_copy(&m->p, va, OUT, 8);
	ok(mmu_run(m, false) && place_get(m->host, 1, 7 * PAGE) == 55,
	   "part: entry %u, of which bytes from %u on are posted", (unsigned int)index, skip);
	mmu_free(m);
}

/* What is changed, when its table is mapped for the @nth time. */
static struct {
	uint64_t table;
	uint64_t at;
	uint64_t entry;
	unsigned int left;
	struct host *host;
} change;

static void on_map(struct memory_host *host, uint64_t addr)
{
	(void)host;
	if (addr >> 12 == change.table >> 12 && change.left && !--change.left)
		place_put(change.host, 0, change.at, change.entry);
}

/*
 * Of the pages at VA none is coherent, and the last one becomes one of VRAM just before their
 * table is looked at for the @nth time. What a command writes there goes to one of both, and
 * nowhere else: not to the DMA address that is the offset in VRAM.
 */
static bool change_at(unsigned int nth, bool fill)
{
	struct mmu *m = mmu_new(0, 0, 0, 0);
	struct memory_host_watch watch = *m->host->memory.watch;
	uint64_t old = RAM_PAGES + 64 * PAGE, new = RAM_PAGES + 5 * PAGE, wanted;
	uint8_t *ram = host_ram(m->host, RAM_PAGES, 16 * PAGE), before[16 * PAGE];
	bool in_old, in_new;
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		space_page(&m->space, VA + i * PAGE, PTE_SYSTEM | (old + i * PAGE));
		space_page(&m->space, SRC + i * PAGE, PTE_VRAM | (256 + i) * PAGE);
	}
	change.host = m->host;
	change.table = space_table(&m->space, VA, 0, &i);
	change.at = change.table + 8 * (PAGES - 1);
	change.entry = PTE_VRAM | new;
	change.left = nth;
	old += (PAGES - 1) * PAGE;
	wanted = fill ? 0x1234567812345678ull : place_get(m->host, 1, (256 + PAGES - 1) * PAGE);
	memcpy(before, ram, sizeof(before));
	place_put(m->host, 1, new, ~wanted);
	watch.map = on_map;
	m->host->memory.watch = &watch;
	m->p.size = 0;
	if (fill)
		command_fill(&m->p, VA, PAGES * PAGE, 0x12345678);
	else
		command_copy(&m->p, SRC, VA, PAGES * PAGE);
	ok(mmu_run(m, false), "changes: at look %u", nth);
	/* a flush: what is posted goes to memory */
	m->p.size = 0;
	packet_physical(&m->p, 4, 0, RAM_BASE, 8, 0);
	mmu_run_physical(m);
	in_old = place_get(m->host, 0, old) == wanted;
	in_new = place_get(m->host, 1, new) == wanted;
	ok(in_old != in_new && !memcmp(ram, before, sizeof(before)),
	   "changes: a %s goes to the %s page", fill ? "fill" : "copy", in_old ? "old" : "new");
	mmu_free(m);
	return change.left;
}

/* Until the table is not looked at so often. */
static void test_changes(bool fill)
{
	unsigned int nth = 1;

	while (!change_at(nth, fill) && nth < 50)
		nth++;
	ok(nth > 3 && nth < 50, "changes: the table is looked at %u times", nth - 1);
}

int main(void)
{
	test_seed(36);
	test_part(0, 0);
	test_part(0, 4);
	test_part(5, 0);
	test_part(5, 4);
	test_part(511, 4);
	test_changes(false);
	test_changes(true);
	return tap_done();
}
