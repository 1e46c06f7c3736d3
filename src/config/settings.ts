// Values of the config that may also be stored as settings, and the folders: each checked, with its default.
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { defaultSteps, maxRetentionDays, maxSteps } from '#core/turn.ts'
import type { Settings } from '#core/store.ts'
import { fault, type RawValues, type Report, type Values } from './variables.ts'

export type Env = Readonly<Record<string, string | undefined>>

const maxPort = 65_535

type CapName = 'SPEND_PER_TURN_USD' | 'SPEND_PER_DAY_USD'
type SettingParts = { values: Values; raw: RawValues; settings: Settings; report: Report }

/** The environment's cap, else the stored one, else the default. 0 means no cap. */
export function capOf(name: CapName, { values, raw, settings, report }: SettingParts): number | undefined {
  const stored = settings[name.toLowerCase()]
  if (raw[name] !== undefined || stored === undefined || stored === null) return values[name] || undefined
  if (typeof stored !== 'number' || !(stored >= 0))
    report(`the setting ${name.toLowerCase()} must be a number of 0 or more`)
  return Number(stored) || undefined
}

/** The environment's port, else the stored one, else the default. */
export function portOf({ values, raw, settings, report }: SettingParts): number {
  if (raw.GATEWAY_PORT !== undefined) return values.GATEWAY_PORT
  return storedNumber(settings, 'gateway_port', { min: 1, max: maxPort }, report) ?? values.GATEWAY_PORT
}

export function stepsOf(settings: Settings, report: Report): number {
  return storedNumber(settings, 'steps_per_turn', { min: 1, max: maxSteps }, report) ?? defaultSteps
}

export function retentionOf(settings: Settings, report: Report): number {
  return storedNumber(settings, 'retention_days', { min: 0, max: maxRetentionDays }, report) ?? 0
}

/** A whole number among the settings; undefined where it is not set, or faulty, which is reported. */
function storedNumber(
  settings: Settings,
  name: string,
  { min, max }: { min: number; max: number },
  report: Report,
): number | undefined {
  const stored = settings[name]
  if (stored === undefined || stored === null) return undefined
  if (Number.isInteger(stored) && Number(stored) >= min && Number(stored) <= max) return Number(stored)
  report(`the setting ${name} must be a whole number from ${min} to ${max}`)
  return undefined
}

export function homeOf(text: string | undefined, env: Env, report: Report): string {
  try {
    return text === undefined ? join(userFolder(env), '.atrium') : pathIn(text, env)
  } catch {
    report(fault('ATRIUM_HOME', 'needs a whole path: this user has no home folder, or HOME is empty or no whole path'))
    return ''
  }
}

/** The workspace must not contain the home, which has the keys and all threads. */
export function workspaceOf(
  text: string | undefined,
  { home, env, report }: { home: string; env: Env; report: Report },
): string {
  const workspace = text === undefined ? join(home, 'workspace') : pathOrFault(text, env, report)
  if (!relative(workspace, home).startsWith('..')) {
    report(fault('ATRIUM_WORKSPACE', 'is or contains the home of the service: choose a folder outside it'))
  }
  return workspace
}

function pathOrFault(text: string, env: Env, report: Report): string {
  try {
    return pathIn(text, env)
  } catch {
    report(
      fault('ATRIUM_WORKSPACE', 'needs a whole path: this user has no home folder, or HOME is empty or no whole path'),
    )
    return '/'
  }
}

/** An absolute path from one that may start with `~`. */
function pathIn(text: string, env: Env): string {
  return resolve(text.replace(/^~(?=\/|$)/, () => userFolder(env)))
}

/** Throws where this user has none, or a relative one: what it holds would depend on where a command is run. */
function userFolder(env: Env): string {
  const folder = env['HOME'] || homedir()
  if (!isAbsolute(folder)) throw new Error('this user has no home folder')
  return folder
}
