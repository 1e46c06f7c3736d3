// `atrium status`: whether a service runs on this home, and how it is.
import { loadConfig } from '#config.ts'
import { runningService } from './attach.ts'
import { print, table } from './report.ts'

export async function status(options: { json?: boolean }): Promise<void> {
  const { home } = loadConfig()
  const service = await runningService(home)
  if (!service) {
    print(options, { status: 'stopped', home }, `No service runs on ${home}. Start one with \`atrium serve\`.`)
    process.exitCode = 1
    return
  }
  const rows = Object.entries(service.status).map(([name, value]) => [
    name.replaceAll('_', ' '),
    name === 'doors' ? doorsIn(value) : typeof value === 'string' ? value : JSON.stringify(value),
  ])
  print(options, { ...service.status, home }, table(rows))
}

function doorsIn(doors: unknown): string {
  const list = doors as readonly { readonly name: string; readonly address?: string }[]
  return list.map(({ name, address }) => (address === undefined ? name : `${name} ${address}`)).join(', ')
}
