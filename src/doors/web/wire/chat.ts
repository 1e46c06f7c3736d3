// Wire format of chat messages: attachments and the answers to a sent message.
import * as z from 'zod/mini'
import { GateWire } from './gate.ts'
import { FaultWire, jobStatuses, UsageWire } from './turn.ts'

const maxNameChars = 255
const nameFault = `must be 1 to ${maxNameChars} characters without control characters`
const typeFault = 'must be a media type such as image/png'

const pageCount = z.int().check(z.minimum(1), z.maximum(1_000_000))

export const AttachmentWire = z.object({
  // The length first: it ends the check of a text of megabytes.
  name: z
    .string()
    .check(z.maxLength(maxNameChars, { abort: true, error: nameFault }), z.regex(/^[^\p{Cc}]+$/u, nameFault)),
  media_type: z
    .string()
    .check(
      z.maxLength(maxNameChars, { abort: true, error: typeFault }),
      z.regex(/^[\w.+-]+\/[\w.+-]+ *(;.*)?$/, typeFault),
    ),
  /** Base64. It is checked where it is decoded. */
  data: z.string(),
  /** Only for a PDF whose text is sent again as a text file: its pages, and those that are in the text. */
  pages: z.exactOptional(z.object({ all: pageCount, read: pageCount })),
})

export const ChatAnswer = z.object({
  thread_id: z.string(),
  turn_id: z.string(),
  status: z.enum(jobStatuses),
  response: z.nullable(z.string()),
  usage: UsageWire,
  gate: z.exactOptional(GateWire),
  error: z.exactOptional(FaultWire),
})

export const SendAnswer = z.object({
  thread_id: z.string(),
  turn_id: z.string(),
  message_id: z.string(),
  status: z.literal('accepted'),
})

export const QueuedTurnWire = z.object({ thread_id: z.string(), turn_id: z.string(), status: z.literal('queued') })

/** The turns of the removed messages, and the turn that was stopped, if one ran or waited. */
export const StopAnswer = z.object({
  thread_id: z.string(),
  removed: z.array(z.string()),
  stopped: z.exactOptional(z.string()),
})

export type Attachment = z.output<typeof AttachmentWire>
export type Sent = z.output<typeof SendAnswer>
export type Stopped = z.output<typeof StopAnswer>
