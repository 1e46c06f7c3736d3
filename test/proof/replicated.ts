// Several replicas over one PostgreSQL, each behind a proxy of its own.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../postgres-server.ts'
import { newHome } from '../new-home.ts'
import { killAll, type Replica, sharedEnv, startReplica } from '../replicas/replicas.ts'
import { copyHostileCode, installHostileComponent } from './hostile-component.ts'
import { addHostileServer, removeSecret, setSecret } from './hostile-server.ts'
import { type Proxy, startProxy } from './proxy.ts'
import { openSmallDisk } from './small-disk.ts'
import { env, type Service } from './service.ts'
import type { Dice } from './world.ts'

/** Longer than a lease, so that others take the turns of a replica over. */
const stopMs = 15_000
const cutMs = 4_000
const longCutMs = 15_000
const slowMs = 3_000
const downMs = 1_500
const fullMs = 2_000
const clock = `--import=${join(import.meta.dirname, '..', 'replicas', 'shift-clock.ts')}`
/** How far the clocks of the replicas are off: the database's clock counts. */
const shiftsMs = [0, 60_000, -60_000]

type Place = { readonly proxy: Proxy; readonly start: () => Promise<Replica>; replica: Replica; up: boolean }

export async function startReplicated(count: number, more: Record<string, string>): Promise<Service> {
  await using opened = new AsyncDisposableStack()
  const server = await startPostgres()
  opened.defer(() => server.remove())
  const disk = await openSmallDisk(server.folder)
  if (disk) opened.defer(() => disk.close())
  const url = await server.database(disk?.path)
  const machineHome = newHome()
  opened.defer(() => machineHome.remove())
  const machine = { home: machineHome.path, env: sharedEnv(url, { ...env, ...more }) }
  await addHostileServer(machine)
  await installHostileComponent({ url })
  let secrets = 0
  const places: Place[] = []
  const started: Replica[] = []
  opened.defer(() => killAll(started))
  let output = ''
  for (let at = 0; at < count; at++) {
    const { hostname, port } = new URL(url)
    const proxy = await startProxy({ host: hostname, port: Number(port) })
    opened.defer(() => proxy.close())
    const through = new URL(url)
    through.port = String(proxy.port)
    const shift = { NODE_OPTIONS: clock, TEST_CLOCK_SHIFT_MS: String(shiftsMs[at % shiftsMs.length]) }
    const start = async (): Promise<Replica> => {
      const replica = await startReplica(through.href, { ...env, ...more, ...shift })
      started.push(replica)
      await copyHostileCode(replica.home)
      return replica
    }
    places.push({ proxy, start, replica: await start(), up: true })
  }
  let turn = 0
  /** The next replica, whatever its state: a client does not know. */
  const next = (): Place => {
    const known = places.filter(({ up }) => up)
    return (known.length > 0 ? known : places)[turn++ % (known.length || places.length)] as Place
  }
  const any = (dice: Dice): Place => dice.pick(places) as Place
  const closing = opened.move()
  return {
    place: { url },
    gateway: () => next().replica.url,
    webhook: () => next().replica.webhook,
    faults: {
      'kill -9': async (dice) => {
        const place = any(dice)
        place.up = false
        place.replica.signal('SIGKILL')
        await place.replica.ended
        output += place.replica.output()
        place.replica = await place.start()
        place.up = true
      },
      'stopped longer than a lease': async (dice) => {
        const { replica } = any(dice)
        replica.signal('SIGSTOP')
        await sleep(stopMs)
        replica.signal('SIGCONT')
      },
      'database cut off': async (dice) => {
        const { proxy } = any(dice)
        proxy.cut()
        await sleep(dice.below(2) === 0 ? cutMs : longCutMs)
        proxy.mend()
      },
      'database slow': async (dice) => {
        const { proxy } = any(dice)
        proxy.slow(50 + dice.below(150))
        await sleep(slowMs)
        proxy.mend()
      },
      'database restarted': async () => {
        await server.stop()
        await sleep(downMs)
        await server.start()
      },
      ...(disk && {
        'disk of the database full': async () => {
          await disk.fill()
          await sleep(fullMs)
          await disk.empty()
        },
      }),
      'secret removed and set again': async () => {
        await removeSecret(machine)
        await setSecret(machine, ++secrets)
      },
    },
    output: () => output + places.map(({ replica }) => replica.output()).join(''),
    close: () => closing.disposeAsync(),
  }
}
