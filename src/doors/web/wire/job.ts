// Jobs on the wire: turns as a list shows them, and one alone.
import * as z from 'zod/mini'
import { GateWire } from './gate.ts'
import { DoorName, FaultWire, jobStatuses, UsageWire } from './turn.ts'

const turnFields = {
  id: z.string(),
  thread_id: z.string(),
  door: DoorName,
  status: z.enum(jobStatuses),
  created_at: z.string(),
  completed_at: z.nullable(z.string()),
  response: z.exactOptional(z.string()),
  /** Of a long response a list shows the beginning. */
  response_cut: z.exactOptional(z.boolean()),
  error: z.exactOptional(FaultWire),
  usage: UsageWire,
}

const TurnFieldsWire = z.object(turnFields)
/** How a turn stands. */
export const TurnWire = z.extend(TurnFieldsWire, { turn_id: z.string() })

export const JobWire = z.object({
  ...turnFields,
  /** Of the thread. */
  title: z.string(),
  /** Who sent it, where that is somebody else: the operator sees the webhook channel's. */
  sender: z.exactOptional(z.string()),
  /** What it waits for; of one job alone. */
  gate: z.exactOptional(GateWire),
})
export const JobsAnswer = z.object({
  jobs: z.array(JobWire),
  next_cursor: z.nullable(z.string()),
  /** How many there are with that status, counted up to 10,000; where it was asked for. */
  total: z.exactOptional(z.number()),
})
export const SendersAnswer = z.object({ senders: z.array(z.string()) })

export type TurnFields = z.output<typeof TurnFieldsWire>
export type Job = z.output<typeof JobWire>
export type JobPage = z.output<typeof JobsAnswer>
export type SenderList = z.output<typeof SendersAnswer>
