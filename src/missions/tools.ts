// The agent's tools for missions. Creating, changing and removing ask each time: the question shows the schedule in words,
// the next runs, the tools and the whole prompt. Loads nothing of missions before a call.
import { AppError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { Preview, Question } from '#core/question.ts'
import { readParams, schemaOf, textField } from '#core/tool-params.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import type { MissionInput, Missions, MissionView } from './missions.ts'

const cannot = ['See or change missions of other users', 'Create, change or remove one without asking']
const scheduleHint =
  'When it runs: "every 2h", "in 30m", "at 2027-01-05 09:00", "daily at 9am", "weekdays at 08:30", "mondays and fridays at 18:00", "monthly on the 1st at 7:00", or five cron fields.'

type MissionArgs = {
  readonly id?: string
  readonly prompt?: string
  readonly schedule?: string
  readonly zone?: string
  readonly title?: string
  readonly tools?: string
  readonly cap_usd?: number
  readonly missed?: 'once' | 'skip'
  readonly status?: 'active' | 'paused'
}

const fields: JsonObject = {
  prompt: textField('What to do in each run, complete in itself: a run sees no other conversation.'),
  schedule: textField(scheduleHint),
  zone: textField('IANA time zone; the user’s by default.'),
  title: textField('A short name.'),
  tools: textField('Names of the only tools that a run may use, with commas between them; all by default.'),
  cap_usd: { type: 'number', description: 'The most that one run may cost, in USD.' },
  missed: { type: 'string', enum: ['once', 'skip'], description: 'Runs missed while the service was down.' },
}
const id = textField('The id of the mission.')

/** `missions` is loaded at the first call. */
export function createMissionTools(missions: () => Promise<Missions>): readonly Tool[] {
  /** The mission that a call of `mission_run` names. Throws for one that the turn may not run. */
  async function runnable(args: string, { user, serviceTools }: AskContext): Promise<MissionView> {
    const params = readParams(schemaOf({ id }, ['id']), args) as { id: string }
    const mission = await (await missions()).get(user, params.id)
    refuseWider([mission.tools], serviceTools)
    return mission
  }
  return [
    {
      ...common('mission_list', 'Lists the user’s missions: prompts that run by the clock.', schemaOf({}, [])),
      about: { brief: 'List missions', may: ['List your missions'], cannot },
      effects: 'read',
      repeatable: true,
      async run(_, { user }) {
        const { rows: all } = await (await missions()).list(user)
        if (all.length === 0) return 'There are no missions.'
        return all
          .map((each) => `${each.id} ${each.title} (${each.status})\n  ${each.understood}\n  ${each.prompt}`)
          .join('\n')
      },
    },
    changing({
      name: 'mission_create',
      description:
        'Creates a mission: a prompt that runs by the clock, once or again and again, such as a reminder or a daily look at a page. The user is asked and sees it whole.',
      may: 'Create a mission; you see all of it first',
      parameters: schemaOf(fields, ['prompt', 'schedule']),
      brief: ({ title, prompt = '' }) => `Create the mission “${shortened(title ?? prompt)}”`,
      async preview(args, { user, serviceTools }) {
        const all = await missions()
        const tools = narrowed(toolsIn(args), serviceTools)
        all.check(user, { ...inputOf(args), tools })
        const { understood } = await all.preview(user, args)
        const { title, cap_usd: capUsd, prompt = '' } = args
        return shown({ title, schedule: understood, tools, capUsd, prompt })
      },
      async run(args, { user, serviceTools }) {
        const tools = narrowed(toolsIn(args), serviceTools)
        const created = await (await missions()).add(user, { ...inputOf(args), tools })
        return `created mission ${created.id}: ${created.understood}`
      },
    }),
    changing({
      name: 'mission_update',
      description: 'Changes, pauses or resumes a mission. The user is asked.',
      may: 'Change a mission; you see all of it first',
      parameters: schemaOf(
        { id, ...fields, status: { type: 'string', enum: ['active', 'paused'], description: 'Resumes or pauses it.' } },
        ['id'],
      ),
      brief: ({ title }) => `Change the mission${title === undefined ? '' : ` “${shortened(title)}”`}`,
      async preview(args, { user, serviceTools }) {
        const all = await missions()
        const before = await all.get(user, args.id ?? '')
        refuseWider([before.tools, toolsIn(args) ?? before.tools], serviceTools)
        all.check(user, inputOf(args))
        const anew = args.schedule !== undefined || args.zone !== undefined
        const { schedule = before.schedule, zone = before.zone } = args
        const { understood } = anew ? await all.preview(user, { schedule, zone }) : before
        const { status = before.status, title = before.title, prompt = before.prompt } = args
        const tools = toolsIn(args) ?? before.tools
        const { cap_usd: capUsd = before.capUsd } = args
        return shown({ title, status, schedule: understood, tools, capUsd, prompt })
      },
      async run({ status, ...args }, { user, serviceTools }) {
        const all = await missions()
        const { tools } = await all.get(user, args.id ?? '')
        refuseWider([tools, toolsIn(args) ?? tools], serviceTools)
        const changed = await all.change(user, args.id ?? '', { ...inputOf(args), status })
        return `changed mission ${changed.id} (${changed.status}): ${changed.understood}`
      },
    }),
    changing({
      name: 'mission_remove',
      description: 'Removes a mission with its runs. The user is asked.',
      may: 'Remove a mission',
      parameters: schemaOf({ id }, ['id']),
      brief: () => 'Remove this mission',
      preview: async (args, { user }) => shownMission(await (await missions()).get(user, args.id ?? '')),
      async run(args, { user }) {
        await (await missions()).remove(user, args.id ?? '')
        return 'removed the mission'
      },
    }),
    {
      ...common('mission_run', 'Runs a mission now, beside its schedule.', schemaOf({ id }, ['id'])),
      about: { brief: 'Run a mission now', may: ['Run a mission of yours now'], cannot },
      effects: 'write',
      repeatable: false,
      async ask(args, context) {
        const mission = await runnable(args, context)
        const brief = `Run the mission “${shortened(mission.title)}” now`
        return { question: questionOf(brief, 'This run comes beside its schedule.'), preview: shownMission(mission) }
      },
      async run(args, context) {
        const mission = await runnable(args, context)
        const run = await (await missions()).run(context.user, mission.id)
        return `started; its thread is ${run.threadId}`
      },
    },
  ]
}

type AskContext = Pick<ToolContext, 'user' | 'serviceTools'>

type ChangingParts = {
  readonly name: string
  readonly description: string
  readonly may: string
  readonly parameters: JsonObject
  /** The question of the call, without its question mark. */
  readonly brief: (args: MissionArgs) => string
  /** Throws for a call that cannot be done. */
  readonly preview: (args: MissionArgs, context: AskContext) => Promise<Preview>
  readonly run: (args: MissionArgs, context: ToolContext) => Promise<string>
}

function changing({ name, description, may, parameters, brief, preview, run }: ChangingParts): Tool {
  const read = (args: string): MissionArgs => readParams(parameters, args)
  return {
    ...common(name, description, parameters),
    about: { brief: 'Work by the clock', may: [may], cannot },
    effects: 'write',
    asksEachTime: true,
    repeatable: false,
    argsStayLocal: true,
    async ask(args, context) {
      const params = read(args)
      return { question: questionOf(brief(params), 'It runs by the clock.'), preview: await preview(params, context) }
    },
    run: async (args, context) => run(read(args), context),
  }
}

function questionOf(brief: string, does: string): Question {
  const pending = 'Nothing has happened yet.'
  return { text: `${brief}?`, brief, sentence: `${does} ${pending}`, does, pending }
}

function common(name: string, description: string, parameters: JsonObject) {
  return { spec: { name, description, parameters }, untrusted: false, reach: () => undefined }
}

type Shown = {
  readonly title: string | undefined
  readonly status?: string
  readonly schedule: string
  readonly tools: readonly string[] | undefined
  readonly capUsd: number | undefined
  readonly prompt: string
}

function shown({ schedule, prompt, ...rest }: Shown): Preview {
  return { type: 'mission', schedule, prompt, ...withoutUndefined(rest) }
}

function shownMission({ title, understood, tools, capUsd, prompt }: MissionView): Preview {
  return shown({ title, schedule: understood, tools, capUsd, prompt })
}

function inputOf({ prompt, schedule, zone, title, missed, cap_usd: capUsd, ...args }: MissionArgs): MissionInput {
  return { prompt, schedule, zone, title, missed, capUsd, tools: toolsIn(args) }
}

function toolsIn({ tools }: MissionArgs): string[] | undefined {
  return tools === undefined ? undefined : tools.split(',').map((name) => name.trim())
}

/** The tools of a mission that a turn makes: those that were asked for and that the turn may use itself. */
function narrowed(tools: readonly string[] | undefined, may: ToolContext['serviceTools']) {
  return tools && may ? tools.filter((name) => may.includes(name)) : (tools ?? may)
}

/** A turn neither changes nor runs a mission that may use other tools than the turn itself. */
function refuseWider(missions: readonly (readonly string[] | undefined)[], may: ToolContext['serviceTools']): void {
  if (!may || missions.every((tools) => tools?.every((name) => may.includes(name)))) return
  const message = 'this turn may use some tools only, and the mission has others: change or run it from elsewhere'
  throw new AppError('tool_refused', message)
}

function shortened(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line
}
