// Skills for doors, commands and the agent: add, update, review, remove, switch, load. A user has their own and the
// operator's; of two with one name the user's own counts.
import { createHash } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import {
  type SkillAuthor,
  type SkillFinding,
  type SkillFolder,
  skillFile,
  type SkillStore,
  type StoredSkill,
  type WholeSkill,
} from '#core/skill.ts'
import { evictOldest } from '#lib/evict.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import type { Marker } from '#safety/marks.ts'
import { catalogueOf } from './catalogue.ts'
import { checkSkill } from './check.ts'
import { loadedBody } from './format.ts'
import { type FileChange, filesChanged } from './changes.ts'

/** Users in the cache; the least recently used is evicted first. */
const maxCached = 2_000

/** What a skill is to a user. */
type View = {
  /** The user's own; else it is the operator's. */
  readonly own: boolean
  readonly enabled: boolean
}

/** A skill as a user has it. */
export type UserSkill = StoredSkill & View

/** The same with its files. */
export type OpenSkill = WholeSkill & View

/** The text of a skill, and where it comes from when it is untrusted. */
export type LoadedText = { readonly text: string; readonly skill: OpenSkill; readonly origin?: string }

/** `trust`: the person who updates it has seen the difference. A new skill is trusted unless the check marks it. */
export type AddOptions = { readonly author?: SkillAuthor; readonly trust?: boolean; readonly replace?: boolean }

export interface Skills {
  /** Everything a user has, also what is switched off, by name. */
  list(user: UserId): Promise<readonly UserSkill[]>
  /** The skills that a user's agent has. Cached: the same array until they change. */
  enabled(user: UserId): Promise<readonly UserSkill[]>
  /** The same, as far as it was read before. */
  known(user: UserId): readonly UserSkill[]
  /** The lines of the system prompt for a model's window: the same text until the skills change. */
  catalogue(user: UserId): Promise<(window: number) => string>
  /** Throws not_found. */
  get(user: UserId, name: string): Promise<OpenSkill>
  /** True if the user has a skill of their own by this name. */
  has(user: UserId, name: string): Promise<boolean>
  /** Reads and checks a folder without storing it. */
  check(folder: SkillFolder): Promise<readonly SkillFinding[]>
  /** The changes that an update with this folder would make. Throws invalid_input for a folder with faults, not_found. */
  changes(user: UserId, folder: SkillFolder): Promise<readonly FileChange[]>
  /** Stores a folder as a skill of the user's own. Throws invalid_input for one with faults, or that is there already. */
  add(user: UserId, folder: SkillFolder, options?: AddOptions): Promise<OpenSkill>
  /** Makes these files trusted, by default all that the skill has now. Throws not_found. */
  review(user: UserId, name: string, seen?: OpenSkill): Promise<OpenSkill>
  /** Throws not_found, and forbidden for the operator's skill. */
  remove(user: UserId, name: string): Promise<void>
  /** Switches a skill on or off for this user. Throws not_found. */
  enable(user: UserId, name: string, enabled: boolean): Promise<OpenSkill>
  /** The text of an enabled skill, and a list of its files. Throws not_found. */
  load(user: UserId, name: string): Promise<LoadedText>
  /** A file of an enabled skill. Throws not_found, invalid_input for one that is no text. */
  read(user: UserId, name: string, path: string): Promise<LoadedText>
  /** The bytes of a file, also of a skill that is switched off. */
  content(skill: WholeSkill, path: string): Promise<Uint8Array | undefined>
  /** Drops what is cached of a user; everybody's without one. */
  forget(user?: UserId): void
}

type Opened = { readonly skill: OpenSkill; readonly bytes: Uint8Array | undefined }

type Cached = { readonly read: Promise<readonly UserSkill[]>; value?: readonly UserSkill[] }

export function createSkills({ store, marker }: { store: SkillStore; marker: () => Marker }): Skills {
  const cache = new Map<UserId, Cached>()
  const catalogues = new WeakMap<readonly UserSkill[], (window: number) => string>()
  /** The skills of most users: those of the operator alone. */
  let shared: Promise<readonly UserSkill[]> | undefined

  async function list(user: UserId): Promise<UserSkill[]> {
    const owners = user === operator ? [operator] : [operator, user]
    const [off, ...lists] = await Promise.all([store.off(user), ...owners.map((owner) => store.list(owner))])
    // The user's own come last and replace the operator's.
    const byName = new Map(lists.flat().map((skill) => [skill.name, skill]))
    return [...byName.values()]
      .map((skill) => viewOf(skill, { own: skill.owner === user, enabled: !off.includes(skill.name) }))
      .sort((one, two) => (one.name < two.name ? -1 : 1))
  }

  /** Users without skills or switches of their own share one array. */
  async function readEnabled(user: UserId): Promise<readonly UserSkill[]> {
    if (user !== operator) {
      const [off, own] = await Promise.all([store.off(user), store.list(user)])
      if (off.length === 0 && own.length === 0) return readShared()
    }
    return (await list(user)).filter(({ enabled }) => enabled)
  }

  function readShared(): Promise<readonly UserSkill[]> {
    const read = (shared ??= store.list(operator).then((all) => all.map((skill) => viewOf(skill, { own: false }))))
    read.catch(() => {
      if (shared === read) shared = undefined
    })
    return read
  }

  function open(user: UserId): Cached {
    const cached: Cached = cache.get(user) ?? { read: readEnabled(user).then((all) => (cached.value = all)) }
    cache.delete(user)
    cache.set(user, cached)
    evictOldest(cache, maxCached)
    cached.read.catch(() => {
      if (cache.get(user) === cached) cache.delete(user)
    })
    return cached
  }

  function forget(user?: UserId): void {
    // Everybody has the operator's skills.
    if (user === undefined || user === operator) {
      cache.clear()
      shared = undefined
    } else cache.delete(user)
  }

  async function get(user: UserId, name: string): Promise<OpenSkill> {
    const found = (await store.get(user, name)) ?? (await store.get(operator, name))
    if (!found) throw noSkill(name)
    return viewOf(found, { own: found.owner === user, enabled: !(await store.off(user)).includes(name) })
  }

  async function getEnabled(user: UserId, name: string): Promise<OpenSkill> {
    const found = await get(user, name)
    if (!found.enabled) throw noSkill(name)
    return found
  }

  async function checked(folder: SkillFolder) {
    const { skill, findings, suspicious } = await checkSkill(folder, marker())
    const faults = findings.filter(({ level }) => level === 'fault')
    if (!skill || faults.length > 0) throw new AppError('invalid_input', faults.map(findingWords).join('; '))
    return { head: skill.head, findings, suspicious }
  }

  // Only what the view is about: an update that comes between must not be read with the trust of what it replaced.
  const content: Skills['content'] = ({ owner, name, files }, path) => {
    const hash = files.find((file) => file.path === path)?.hash
    return hash === undefined ? Promise.resolve(undefined) : store.content(owner, name, path, hash)
  }

  /** A file of an enabled skill; undefined when the skill has none of this path. */
  async function openFile(user: UserId, name: string, path: string): Promise<Opened> {
    const skill = await getEnabled(user, name)
    const bytes = await content(skill, path)
    if (bytes || !skill.files.some((file) => file.path === path)) return { skill, bytes }
    // It was updated meanwhile.
    const fresh = await getEnabled(user, name)
    return { skill: fresh, bytes: await content(fresh, path) }
  }

  return {
    list,
    enabled: (user) => open(user).read,
    known: (user) => cache.get(user)?.value ?? [],
    async catalogue(user) {
      const skills = await open(user).read
      let known = catalogues.get(skills)
      if (!known) catalogues.set(skills, (known = createCatalogue(skills)))
      return known
    },
    get,
    has: async (user, name) => (await store.get(user, name)) !== undefined,
    check: async (folder) => (await checkSkill(folder, marker())).findings,
    async changes(user, folder) {
      await checked(folder)
      const before = await store.get(user, folder.name)
      if (!before) throw noSkill(folder.name)
      return filesChanged(before.files, folder.files, (path) => content(before, path))
    },
    async add(user, folder, { author = 'user', trust = false, replace = false } = {}) {
      const { head, findings, suspicious } = await checked(folder)
      const files = folder.files.map(({ path, content: bytes }) => {
        return { path, content: bytes, hash: createHash('sha256').update(bytes).digest('hex'), untrusted: true }
      })
      await store.put(user, { ...head, author, findings, files }, (before) => {
        if (before && !replace) {
          throw new AppError('invalid_input', `the skill ${head.name} is there already: update it, or remove it first`)
        }
        const stored = new Map(before?.map((file) => [file.path, file]))
        return files.map((file) => {
          const old = stored.get(file.path)
          if (old && (old.untrusted || old.hash === file.hash)) {
            // The difference to a file that nobody has looked at does not show it whole.
            return { ...file, untrusted: old.untrusted }
          }
          // A file that the check marks is untrusted until somebody has looked at it.
          return { ...file, untrusted: author === 'agent' || (before ? !trust : suspicious) }
        })
      })
      forget(user)
      return get(user, head.name)
    },
    async review(user, name, seen) {
      const skill = seen ?? (await get(user, name))
      if (!skill.own) throw new AppError('forbidden', `${name} is the operator's skill: the operator reviews it`)
      await store.trust(user, name, skill.files)
      forget(user)
      return get(user, name)
    },
    async remove(user, name) {
      if (!(await get(user, name)).own) {
        throw new AppError('forbidden', `${name} is the operator's skill: switch it off instead`)
      }
      await store.remove(user, name)
      forget(user)
    },
    async enable(user, name, enabled) {
      await get(user, name)
      await store.switch(user, name, enabled)
      forget(user)
      return get(user, name)
    },
    async load(user, name) {
      const { skill, bytes } = await openFile(user, name, skillFile)
      if (!bytes) throw noSkill(name)
      return { text: `${loadedBody(name, bytes)}${fileLines(skill)}`, skill, ...originOf(skill) }
    },
    async read(user, name, path) {
      const { skill, bytes } = await openFile(user, name, path)
      if (!bytes) throw new AppError('not_found', `the skill ${name} has no file ${path}; it has ${pathsOf(skill)}`)
      const text = decodeUtf8(bytes)
      // The check reads no file with such bytes either.
      if (text === undefined || text.includes('\0'))
        throw new AppError('invalid_input', `${path} is no text: it has ${bytes.length} bytes`)
      return { text: text === '' ? '(the file is empty)' : text, skill, ...originOf(skill) }
    },
    content,
    forget,
  }
}

/** A finding as one line. */
function findingWords({ file, line, message }: SkillFinding): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`
}

function viewOf<T extends StoredSkill>(
  skill: T,
  { own, enabled = true }: { own: boolean; enabled?: boolean },
): T & View {
  return { ...skill, own, enabled }
}

/** One text for each window. */
function createCatalogue(skills: readonly UserSkill[]): (window: number) => string {
  const texts = new Map<number, string>()
  return (window) => {
    const known = texts.get(window) ?? catalogueOf(skills, window)
    texts.set(window, known)
    return known
  }
}

function originOf({ name, untrusted }: OpenSkill): Pick<LoadedText, 'origin'> {
  return untrusted ? { origin: `the skill ${name}, which nobody has reviewed` } : {}
}

function fileLines(skill: OpenSkill): string {
  const files = skill.files.filter(({ path }) => path !== skillFile)
  if (files.length === 0) return ''
  const lines = files.map(({ path, bytes }) => `- ${path} (${bytes} bytes)`)
  return `\n\nFiles of this skill, for skill_read:\n${lines.join('\n')}`
}

function pathsOf({ files }: OpenSkill): string {
  return files
    .slice(0, 20)
    .map(({ path }) => path)
    .join(', ')
}

function noSkill(name: string): AppError {
  return new AppError('not_found', `there is no skill ${JSON.stringify(name.slice(0, 64))}`)
}
