// Wire format of jobs: turns in a list, and a single one.
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
  /** True when `response` is only the beginning of a long response, as in lists. */
  response_cut: z.exactOptional(z.boolean()),
  error: z.exactOptional(FaultWire),
  usage: UsageWire,
}

const TurnFieldsWire = z.object(turnFields)
/** The state of a turn. */
export const TurnWire = z.extend(TurnFieldsWire, { turn_id: z.string() })

export const JobWire = z.object({
  ...turnFields,
  /** The title of the thread. */
  title: z.string(),
  /** The first line of the user's message, up to 200 characters. Absent without one, and beside a large attachment. */
  message: z.exactOptional(z.string()),
  /** The sender, when that is not the caller: the operator also sees jobs of webhook senders. */
  sender: z.exactOptional(z.string()),
  /** The gate it waits at. Only in the answer for a single job. */
  gate: z.exactOptional(GateWire),
})
export const JobsAnswer = z.object({
  jobs: z.array(JobWire),
  next_cursor: z.nullable(z.string()),
  /** The number of matching jobs, counted up to 10,000. Only with `?total=true`. */
  total: z.exactOptional(z.number()),
})
export const SendersAnswer = z.object({ senders: z.array(z.string()) })

export type TurnFields = z.output<typeof TurnFieldsWire>
export type Job = z.output<typeof JobWire>
export type JobPage = z.output<typeof JobsAnswer>
export type SenderList = z.output<typeof SendersAnswer>
