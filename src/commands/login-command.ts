// `atrium login`: a link that signs the operator in, from the service that runs on this home.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { askService } from './attach.ts'
import { print } from './report.ts'

/** The link holds a code that is good once, for ten minutes: nothing that would stay. */
export async function login(options: { json?: boolean }): Promise<void> {
  const { home } = loadConfig()
  const told = (await askService(home, '/login', {})) as { link: string } | undefined
  if (!told) throw new AppError('not_found', `no service runs on ${home}: start one with \`atrium serve\``)
  print(options, told, `${told.link}\n\nOpen it in a browser within ten minutes. It works once.`)
}
