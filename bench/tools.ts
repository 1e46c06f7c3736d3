// Calls of tool components: what one costs once its process lives, what the first costs, and what the processes weigh.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '#core/json.ts'
import type { Child } from './children.ts'
import { median, percentile } from './compare.ts'
import { type Memory, memoryOf } from './memory.ts'
import { type Bench, fixed, megabytes, type Suite } from './suite.ts'
import type { Table } from './table.ts'
import type { Carried, Order } from './tool-front.ts'

const weatherFolder = join(import.meta.dirname, '../tools/weather')
/** More than the processes that may live at once. */
const tools = 8
const inFlight = 64
/** Where the weight is taken on the way. */
const marks = 5

/** A component with a call of it. */
type Kind = {
  readonly title: string
  readonly name: string
  readonly component: string
  readonly capabilities: string
  readonly args: Json
  readonly holds: string
}

export const tools_: Suite = async (bench) => []
