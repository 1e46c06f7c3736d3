// Exports traces of turns. Without a configured collector, none of its modules are loaded.
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '#config.ts'
import type { Entry } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import { readVersion } from '#lib/version.ts'
import { entryPages, withoutTexts } from '#turns/turn-entries.ts'
import type { Observer } from '#turns/turn-metrics.ts'
import { systemDial } from './lazy-dial.ts'

/** Turns in the queue for export; more are dropped. */
const maxWaiting = 1_000
const defaultCloseMs = 3_000

export type Telemetry = Pick<Observer, 'rested'> & { close(): Promise<void> }

export type TelemetryParts = {
  readonly config: () => Config
  readonly store: Pick<Store, 'threads'>
  readonly metrics: Metrics
  readonly log: Log
  readonly instance: string
  /** Time limit at shutdown, for reading the rest and again for sending it. */
  readonly closeMs?: number
}

export async function openTelemetry(parts: TelemetryParts): Promise<Telemetry | undefined> {
  const { config, store, metrics, log, instance, closeMs = defaultCloseMs } = parts
  const { telemetry, proxy } = config()
  if (!telemetry) return undefined
  const [{ createOtlp }, { spansOf }] = await Promise.all([import('#net/otlp.ts'), import('#turns/spans.ts')])
  const { endpoint, headers, serviceName, content } = telemetry
  const service = { name: serviceName, version: readVersion(), instance }
  const exporter = createOtlp({ endpoint, headers, service, dial: systemDial(proxy), log })
  const waiting: Turn[] = []
  let dropped = 0
  let working: Promise<void> | undefined
  metrics.gauge({
    name: 'atrium_telemetry_dropped_total',
    help: 'Spans, or turns before they were read, that were not delivered.',
    type: 'counter',
    read: () => dropped + exporter.dropped(),
  })

  const providerOf = (name: string): string => {
    const { model } = config()
    const found = [model, ...(model.fallback ?? [])].find((each) => each.name === name) ?? model
    return providerNames[found.provider] ?? found.provider
  }

  /** Reads one turn after the other, page by page, so that export does not slow the service. */
  async function work(): Promise<void> {
    for (let turn = waiting.shift(); turn; turn = waiting.shift()) {
      try {
        const entries: Entry[] = []
        for await (const page of entryPages(store, turn.userId, turn))
          entries.push(...(content ? page : page.map(withoutTexts)))
        exporter.send(spansOf(turn, entries, { content, providerOf }))
      } catch (error) {
        dropped++
        log.warn({ turn: turn.id, err: error }, 'could not read a turn for its trace')
      }
    }
  }

  return {
    rested(turn) {
      if (!ended(turn.status)) return
      if (waiting.length >= maxWaiting) {
        dropped++
        return
      }
      waiting.push(turn)
      working ??= work().finally(() => {
        working = undefined
      })
    },
    async close() {
      // Turns that are not read in time are dropped: shutdown does not wait for them.
      await Promise.race([working, pause(closeMs, undefined, { ref: false })])
      dropped += waiting.splice(0).length
      await exporter.close(closeMs)
    },
  }
}

/** Provider names of the OpenTelemetry conventions, where they differ. */
const providerNames: Readonly<Record<string, string>> = { google: 'gcp.gemini' }
