// Skills: list, add from an archive, switch, review and remove.
import { computed, signal } from '@preact/signals'
import type { Skill, SkillList, WholeSkill } from '#doors/web/wire/skill.ts'
import { request } from '../api/client.ts'
import { route } from '../router.ts'
import { loaded } from './loaded.ts'

const uploadMs = 120_000

export const skills = loaded(async () => (await request<SkillList>('GET', '/api/skills')).skills)

/** The name in `/tools?skill=…`; undefined when none is chosen. */
export const openSkill = computed(() => route.value.query.get('skill') ?? undefined)

/** The skill that is shown whole. */
export const shownSkill = signal<WholeSkill | undefined>(undefined)

export function skillAddress(name: string): string {
  return `/tools?${new URLSearchParams({ skill: name })}`
}

/** Reads a skill whole. Throws ApiFault. */
export async function showSkill(name: string): Promise<void> {
  shownSkill.value = await request<WholeSkill>('GET', pathOf(name))
}

/** Adds a skill from an archive, or updates the one of its name. Throws ApiFault. */
export async function addSkill(archive: Blob): Promise<WholeSkill> {
  const headers = { 'content-type': 'application/zip' }
  const added = await request<WholeSkill>('POST', '/api/skills', { body: archive, headers, deadlineMs: uploadMs })
  shownSkill.value = added
  await skills.load()
  return added
}

/** Switches a skill on or off for the reader. Throws ApiFault. */
export async function switchSkill(name: string, enabled: boolean): Promise<void> {
  await request<Skill>('PATCH', pathOf(name), { body: { enabled } })
  await skills.load()
}

/** Trusts a skill as it was shown, without texts that were too long for that. Throws ApiFault. */
export async function reviewSkill({ name, files }: WholeSkill): Promise<void> {
  const hashes = files.filter((file) => !file.too_long).map(({ hash }) => hash)
  shownSkill.value = await request<WholeSkill>('POST', `${pathOf(name)}/review`, { body: { hashes } })
  await skills.load()
}

/** Removes a skill of the reader's own. Throws ApiFault. */
export async function removeSkill(name: string): Promise<void> {
  await request('DELETE', pathOf(name))
  await skills.load()
}

function pathOf(name: string): string {
  return `/api/skills/${encodeURIComponent(name)}`
}
