// Routes of skills: list, show, add from an archive, review, switch and remove. Callers reach their own skills and the
// operator's; they change only their own.
import * as z from 'zod/mini'
import type { UserId } from '#core/ids.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Caller, requireAllTools } from '#http/caller.ts'
import { type Route, route, type RouteFamily } from '#http/routes.ts'
import { check } from '#http/validate.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import type { OpenSkill, Skills, UserSkill } from '#skills/skills.ts'
import { SkillDetail, SkillsAnswer, SkillWire } from '#doors/web/wire/skill.ts'
import { isoTime } from '#core/time.ts'

/** Characters of all files together that are shown; further files are listed without their text. */
const maxShownChars = 512 * 1024

const EnableBody = z.object({ enabled: z.boolean() })
const ReviewBody = z.object({ hashes: z.optional(z.array(z.string()).check(z.maxLength(1_000))) })

export type SkillsParts = { readonly skills: Skills }

export function skillRoutes({ skills }: SkillsParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/skills',
      who: 'user',
      summary: 'List the skills that you have: your own and the operator’s',
      answers: { 200: SkillsAnswer },
      async handle({ caller: { user } }) {
        return { skills: (await skills.list(user)).map(skillWire) } satisfies z.output<typeof SkillsAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/skills/:name',
      who: 'user',
      summary: 'Show a skill: its files and what its check found',
      answers: { 200: SkillDetail },
      handle: async ({ caller: { user }, params: { name } }) => detailOf(skills, await skills.get(user, name)),
    }),
    route({
      method: 'PATCH',
      path: '/api/skills/:name',
      who: 'user',
      summary: 'Switch a skill on or off for yourself',
      body: EnableBody,
      answers: { 200: SkillWire },
      handle: async ({ caller, params: { name }, body: { enabled } }) =>
        skillWire(await skills.enable(changing(caller), name, enabled)),
    }),
    {
      method: 'POST',
      path: '/api/skills/:name/review',
      who: 'user',
      summary: 'Trust a skill of your own after you have looked at it; hashes names the files that you saw',
      body: ReviewBody,
      answers: { 200: SkillDetail },
      async handle({ caller, params, body }) {
        const user = changing(caller)
        const { name } = params as { name: string }
        const { hashes } = body === undefined ? {} : check(ReviewBody, body)
        const skill = await skills.get(user, name)
        const files = hashes ? skill.files.filter(({ hash }) => hashes.includes(hash)) : skill.files
        return detailOf(skills, await skills.review(user, name, { ...skill, files }))
      },
    },
    route({
      method: 'DELETE',
      path: '/api/skills/:name',
      who: 'user',
      summary: 'Remove a skill of your own',
      answers: { 204: null },
      async handle({ caller, params: { name } }, reply) {
        await skills.remove(changing(caller), name)
        return reply.code(204).send()
      },
    }),
  ]
}

/** The route that takes an archive, with the parser for its body. */
export function skillUpload({ skills }: SkillsParts): RouteFamily {
  const add: Route = {
    method: 'POST',
    path: '/api/skills',
    who: 'user',
    summary: 'Add a skill, or update one of your own: an archive with one top folder',
    maxBodyBytes: maxFileBodyBytes,
    answers: { 200: SkillDetail, 201: SkillDetail },
    describe: () => ({
      requestBody: { required: true, content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } },
    }),
    async handle(request, reply) {
      const user = changing(request.caller)
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const { readZip } = await import('#skills/zip.ts')
      const folder = await readZip(bytes)
      const isThere = await skills.has(user, folder.name)
      // An update is untrusted until somebody has looked at it.
      const added = await skills.add(user, folder, { replace: true })
      return reply.code(isThere ? 200 : 201).send(await detailOf(skills, added))
    },
  }
  return { routes: [add], bodyType: 'application/zip' }
}

/** Skills are for every turn of their user. */
function changing(caller: Caller): UserId {
  requireAllTools(caller, 'change skills')
  return caller.user
}

function skillWire(skill: UserSkill): z.output<typeof SkillWire> {
  const { name, description, author, enabled, untrusted, findings, license, compatibility, metadata, allowedTools } =
    skill
  return {
    name,
    description,
    from: skill.own ? 'you' : 'operator',
    author,
    enabled,
    untrusted,
    warnings: findings.filter(({ level }) => level === 'warning').length,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(metadata && { metadata }),
    ...(allowedTools && { allowed_tools: [...allowedTools] }),
    updated_at: isoTime(skill.updatedAt),
  }
}

async function detailOf(skills: Skills, skill: OpenSkill): Promise<z.output<typeof SkillDetail>> {
  const files: z.output<typeof SkillDetail>['files'] = []
  let left = maxShownChars
  for (const file of skill.files) {
    const content = await skills.content(skill, file.path)
    const text = content && decodeUtf8(content)
    if (text === undefined || text.includes('\0')) files.push(file)
    else if (text.length > left) files.push({ ...file, too_long: true })
    else {
      left -= text.length
      files.push({ ...file, text })
    }
  }
  return { ...skillWire(skill), files, findings: [...skill.findings] }
}
