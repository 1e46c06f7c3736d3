// `atrium login`: prints a sign-in link for the operator, made by the service that runs on this home.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { askService } from './running-service.ts'
import { printValue } from './report.ts'

/** The link has a code that works once, within ten minutes; it contains no lasting secret. */
export async function login(options: { json?: boolean }): Promise<void> {
  const reply = (await askService('/login', {})) as { link: string } | undefined
  if (!reply)
    throw new AppError('not_found', `no service runs on ${loadConfig().home}: start one with \`atrium serve\``)
  printValue(options, reply, { value: reply.link, note: 'Open it in a browser within ten minutes. It works once.' })
}
