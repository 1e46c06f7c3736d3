// Wire format of chat messages: attachments and the answers to a sent message.
import * as z from 'zod/mini'
import { GateWire } from './gate.ts'
import { FaultWire, jobStatuses, UsageWire } from './turn.ts'

const maxNameChars = 255
const nameFault = `must be 1 to ${maxNameChars} characters without control characters`

export const AttachmentWire = z.object({
  name: z.string().check(z.regex(/^[^\p{Cc}]+$/u, nameFault), z.maxLength(maxNameChars, nameFault)),
  media_type: z.string().check(z.regex(/^[\w.+-]+\/[\w.+-]+ *(;.*)?$/, 'must be a media type such as image/png')),
  data: z.string().check(z.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64, and not empty')),
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

export type Attachment = z.output<typeof AttachmentWire>
export type Sent = z.output<typeof SendAnswer>
