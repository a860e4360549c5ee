// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: interrupts, from an event to the message that the host sends.
 */
#include "../core/quire_event.h"
#include "quire_interrupt.h"

/**
 * quire_interrupt - latch a status bit; its message becomes due if it is enabled
 * @engine: the engine
 * @vector: QUIRE_VECTOR_*
 *
 * One message stands for all events of a vector in a slice. No event is lost
 * by that, whatever the guest acknowledges and when:
 *
 * - What an event tells (a fence value, the fault registers) is visible before
 *   the event happens, and the message is sent after it. So the guest that
 *   looks because of the message sees what all events before it tell.
 * - An event after that look comes in a later slice, or in this one before the
 *   message: either way its message is sent after the look.
 * - A due message is not taken back by an acknowledgment: INT_STATUS says what
 *   happened, @messages what is still to be sent. At worst a message finds
 *   nothing new.
 */
void quire_interrupt(struct quire_engine *engine, unsigned int vector)
{
	engine->int_status |= 1u << vector;
	engine->messages |= engine->int_enable & 1u << vector;
}

/* Count a message against the injection; true if it is to be dropped. */
static bool quire_drop_message(struct quire_engine *engine, unsigned int vector)
{
	if (!engine->inject_drop_irq)
		return false;
	engine->inject_drop_irq--;
	quire_event(engine, QUIRE_EVENT_DROP_IRQ, engine->ring, vector, engine->inject_drop_irq);
	return true;
}

/**
 * quire_engine_take_interrupt - which message is due?
 * @engine: the engine
 * @vector: set to QUIRE_VECTOR_* if one is
 *
 * A message is a write to an address of the guest's choice: it may reset or
 * unplug the device. So the host asks after each quire_engine_run() and
 * quire_regs_write(), does whatever else it has to do, and sends the messages
 * last. It asks again after each of them: a reset takes back what is due.
 *
 * Return: false if none is due; else it is to be sent, once.
 */
bool quire_engine_take_interrupt(struct quire_engine *engine, unsigned int *vector)
{
	for (*vector = 0; *vector < QUIRE_VECTOR_COUNT; ++*vector) {
		uint32_t bit = 1u << *vector;
		bool due = engine->messages & bit;

		engine->messages &= ~bit;
		if (due && !quire_drop_message(engine, *vector))
			return true;
	}
	return false;
}
