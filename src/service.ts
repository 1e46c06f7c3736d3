// The running service: Config -> open doors, and their stop. With hall.ts, the only place that builds things.
import { checkDoors } from '#config.ts'
import { openLocalDoor } from '#doors/local/door.ts'
import { type Hall, type HallParts, openHall } from '#hall.ts'
import { removeNote, writeNote } from '#home.ts'

export type Service = {
  readonly hall: Hall
  /** What the first screen shows: addresses, the model, what to do next. */
  readonly lines: readonly string[]
  stop(): Promise<void>
}

export type ServiceParts = HallParts & { /** The terminal counts as a door. */ readonly terminal: boolean }

/** Opens the hall and every enabled door; answers once all of them listen. */
export async function startService(parts: ServiceParts): Promise<Service> {
  checkDoors(parts.configure({}), { terminal: parts.terminal })
  const hall = await openHall(parts)
  try {
    const started = Date.now()
    const status = () => Promise.resolve({ status: 'ok', uptime_secs: Math.round((Date.now() - started) / 1000) })
    const local = await openLocalDoor({ turns: hall.turns, status, reload: () => hall.reload(), log: parts.log })
    writeNote(hall.home, { pid: process.pid, port: local.port, token: local.token })
    return {
      hall,
      lines: [`model    ${hall.config.model.provider} ${hall.config.model.name}`, ...hall.config.notices],
      async stop() {
        removeNote(hall.home)
        await hall.close()
        await local.close()
      },
    }
  } catch (error) {
    await hall.close(0)
    throw error
  }
}
