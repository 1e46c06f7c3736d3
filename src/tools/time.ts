// The `time` tool: the current date and time, in any time zone.
import { AppError } from '#core/errors.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import type { Tool } from '#core/tool.ts'
import { machineZone } from '#core/time.ts'

/** A call without `timezone` uses `defaultZone`, by default the machine's time zone. */
export function createTimeTool({ now, defaultZone }: { now: () => number; defaultZone?: string }): Tool {
  const parameters = schemaOf(
    { timezone: { type: 'string', description: 'IANA time zone name, such as Europe/Paris or America/New_York.' } },
    [],
  )
  return {
    spec: {
      name: 'time',
      description: 'Tells the current date, time and weekday, in the local time zone or in the one asked for.',
      parameters,
    },
    effects: 'read',
    about: {
      brief: 'Tells the date and the time',
      may: ['Tell the date, the time and the weekday'],
      cannot: ['Reach the network, files or memory'],
    },
    repeatable: true,
    untrusted: false,
    run: async (args) => {
      const { timezone } = readParams(parameters, args) as { timezone?: string }
      const zone = timezone?.trim() || defaultZone || machineZone()
      return JSON.stringify(describeMoment(now(), zone))
    },
  }
}

/** Describes a moment in a time zone. Throws invalid_input for an unknown zone. */
function describeMoment(at: number, timezone: string) {
  const date = new Date(at)
  const format = (options: Intl.DateTimeFormatOptions) => formatIn(timezone, options).format(date)
  return {
    iso: date.toISOString(),
    local: format({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' }),
    timezone: formatIn(timezone, {}).resolvedOptions().timeZone,
    weekday: format({ weekday: 'long' }),
    unix: Math.floor(at / 1000),
  }
}

function formatIn(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
  } catch (error) {
    const message = `unknown time zone "${timeZone.slice(0, 100)}"; use an IANA name such as "Europe/Paris"`
    throw new AppError('invalid_input', message, { param: 'timezone', cause: error })
  }
}
