// Skills on the Tools page: what each is, its check, its files, on and off, and a review of what nobody has looked at.
import type { Ref } from 'preact'
import { useEffect } from 'preact/hooks'
import { countWords, sizeWords } from '#core/words.ts'
import type { Skill, WholeSkill } from '#doors/web/wire/skill.ts'
import { useAct } from '../parts/act.ts'
import { ActButton } from '../parts/act-button.tsx'
import { ActSwitch } from '../parts/act-switch.tsx'
import { RemoveTool, ToolList, ToolRow } from '../parts/tool-list.tsx'
import { Icon } from '../parts/icon.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { go } from '../router.ts'
import { notify } from '../store/notices.ts'
import { isOperator } from '../store/session.ts'
import {
  addSkill,
  removeSkill,
  reviewSkill,
  showSkill,
  shownSkill,
  skillAddress,
  switchSkill,
} from '../store/skills.ts'

/** Characters of a file that are shown at first. */
const maxFileChars = 4_000

/** The hidden field that adds a skill from an archive. */
export function SkillPicker({ inputRef }: { inputRef: Ref<HTMLInputElement> }) {
  const { run } = useAct()
  const add = async (file: File): Promise<void> => {
    const { name, untrusted } = await addSkill(file)
    go(skillAddress(name))
    notify(untrusted ? `${name} is added, and waits for your review` : `${name} is added`)
  }
  return (
    <input
      type="file"
      accept=".zip,application/zip"
      hidden
      aria-label="Archive of a skill"
      ref={inputRef}
      onChange={(event) => {
        const [file] = event.currentTarget.files ?? []
        if (file) void run(() => add(file), 'The skill could not be added.')
        event.currentTarget.value = ''
      }}
    />
  )
}

export function SkillList({ list, shown }: { list: readonly Skill[]; shown: string | undefined }) {
  return (
    <ToolList name="Skills">
      {list.map((skill) => (
        <ToolRow
          key={skill.name}
          name={skill.name}
          address={skillAddress(skill.name)}
          words={skill.description}
          shown={skill.name === shown}
        >
          {skill.untrusted ? <Pill kind="sun">Not reviewed</Pill> : !skill.enabled && <Pill>Off</Pill>}
          <ActSwitch
            name="Enabled"
            on={skill.enabled}
            act={(next) => switchSkill(skill.name, next)}
            failed={`${skill.name} could not be switched.`}
          />
        </ToolRow>
      ))}
    </ToolList>
  )
}

/** One skill whole. It is read again when the list says that it has changed. */
export function SkillDetail({ skill }: { skill: Skill }) {
  const { name, updated_at: updatedAt, untrusted } = skill
  const { fault, run } = useAct()
  useEffect(() => void run(() => showSkill(name)), [name, updatedAt, untrusted])
  const whole = shownSkill.value?.name === name ? shownSkill.value : undefined
  return (
    <article class="card tool" aria-label={name}>
      <div class="tool-part">
        <header class="tool-head">
          <p class="tool-title">{name}</p>
          <Pill>{skill.from === 'operator' ? 'The operator’s' : isOperator.value ? 'For everyone' : 'Your own'}</Pill>
          {skill.author === 'agent' && <Pill>Written by the agent</Pill>}
          {skill.from === 'you' && (
            <span class="tool-acts">
              <RemoveTool name={name} remove={removeSkill}>
                The agent loses it at once, with all of its files.
              </RemoveTool>
            </span>
          )}
        </header>
        <p class="tool-about">{skill.description}</p>
        {skill.allowed_tools && (
          <p>
            In a turn that loads it, tools that it does not name ask. It names{' '}
            <span class="mono">{skill.allowed_tools.join(', ') || 'none'}</span>.
          </p>
        )}
        {skill.license !== undefined && <p class="quiet">License: {skill.license}</p>}
        {skill.compatibility !== undefined && <p class="quiet">Compatibility: {skill.compatibility}</p>}
        <p class="quiet">
          Load it with <span class="mono">/{name}</span> at the start of a message.
        </p>
      </div>
      {fault.value !== undefined && !whole && <Note kind="clay">{fault.value}</Note>}
      {whole && <Checked skill={whole} />}
      {whole && <Files skill={whole} />}
    </article>
  )
}

function Checked({ skill }: { skill: WholeSkill }) {
  const { findings, untrusted, name } = skill
  return (
    <div class="tool-part">
      {untrusted && (
        <Note
          kind="sun"
          title="Nobody has looked at it yet"
          icon="shield"
          actions={
            skill.from === 'you' && (
              <ActButton size="small" act={() => reviewSkill(skill)} failed={`${name} could not be reviewed.`}>
                I have read it: trust it
              </ActButton>
            )
          }
        >
          The agent reads it as text from outside: as data, not as instructions.
        </Note>
      )}
      <h2 class="label">Check</h2>
      {findings.length === 0 && <p>Nothing to know: no scripts, no addresses, nothing hidden.</p>}
      <ul class="tool-lines">
        {findings.map(({ level, file, line, message }) => (
          <li key={`${file} ${line ?? ''} ${message}`}>
            <Icon name={level === 'note' ? 'file' : 'triangle'} />
            <span>
              {level === 'note' ? '' : 'Warning: '}
              <span class="mono">{line === undefined ? file : `${file}:${line}`}</span> {message}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Files({ skill: { files } }: { skill: WholeSkill }) {
  return (
    <div class="tool-part">
      <h2 class="label">{countWords(files.length, 'file')}</h2>
      <ul class="skill-files">
        {files.map(({ path, bytes, untrusted, text, too_long: tooLong }) => (
          <li key={path}>
            <details open={path === 'SKILL.md' || untrusted}>
              <summary>
                <span class="mono">{path}</span> <span class="quiet">{sizeWords(bytes)}</span>
                {untrusted && <Pill kind="sun">Not reviewed</Pill>}
              </summary>
              {text === undefined ? (
                <p class="quiet">
                  {tooLong ? 'It is too long to show here, and a review here leaves it untrusted.' : 'It is no text.'}
                </p>
              ) : (
                <div class="skill-text mono">
                  <LongText text={text} shown={maxFileChars} />
                </div>
              )}
            </details>
          </li>
        ))}
      </ul>
    </div>
  )
}
