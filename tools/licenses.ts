// A build step that lists the packages whose code is in a bundle, with their licenses, which a copy of the code must carry.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Plugin } from 'rolldown'

export type LicenseList = {
  /** Collects the packages of one build. */
  readonly plugin: Plugin
  /** The list of all builds so far. */
  text(): string
}

export function createLicenseList(): LicenseList {
  const folders = new Set<string>()
  return {
    plugin: {
      name: 'licenses',
      generateBundle(_options, made) {
        const modules = Object.values(made).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
        for (const folder of modules.map(packageFolder)) if (folder !== undefined) folders.add(folder)
      },
    },
    text: () => [...folders].toSorted().map(entryOf).join('\n'),
  }
}

/** The package that a module is part of: `…/node_modules/@scope/name`. Undefined for a module of ours. */
function packageFolder(module: string): string | undefined {
  const parts = module
    .replace(/^\0/, '')
    .replace(/[?#].*$/, '')
    .split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at < 0) return undefined
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep)
}

function entryOf(folder: string): string {
  const about = join(folder, 'package.json')
  if (!existsSync(about)) return ''
  const { name, version, license } = JSON.parse(readFileSync(about, 'utf8')) as Record<string, string>
  const texts = globSync('{LICEN[CS]E,licen[cs]e,NOTICE}*', { cwd: folder }).toSorted()
  const [rule, body] = ['-'.repeat(80), texts.map((file) => readFileSync(join(folder, file), 'utf8').trim())]
  return `${rule}\n${name} ${version}${license ? ` (${license})` : ''}\n\n${body.join('\n\n')}\n`
}
