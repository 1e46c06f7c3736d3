// `atrium completion`: a script that completes commands and options in a shell. The script has all words in it, so
// that no key press starts the program.
import type { CommandNode, Shell } from './command-tree.ts'
import { shellQuoted } from './report.ts'

export function completionScript(shell: Shell, tree: readonly CommandNode[]): string {
  return { bash, zsh, fish }[shell](tree)
}

const pathOf = ({ path }: CommandNode): string => path.join(' ')
const flagsOf = ({ options }: CommandNode): string[] => options.flatMap(({ flags }) => flags)
const wordsOf = ({ commands, choices }: CommandNode): string[] => [...commands.map(({ name }) => name), ...choices]
const valueFlags = ({ options }: CommandNode): string[] =>
  options.flatMap(({ flags, takesValue }) => (takesValue ? flags : []))
const below = (tree: readonly CommandNode[]): CommandNode[] => tree.filter(({ path }) => path.length > 0)

/** Files are completed where no command and no known value can stand (`-o default`). */
function bash(tree: readonly CommandNode[]): string {
  const valued = tree.filter((node) => valueFlags(node).length > 0)
  return `# Completion of atrium for bash: eval "$(atrium completion bash)" in ~/.bashrc
_atrium() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} at='' words='' flags='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${below(tree)
        .map((node) => shellQuoted(pathOf(node)))
        .join(' | ')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at:$before" in
${valued
  .map(
    (node) =>
      `    ${valueFlags(node)
        .map((flag) => shellQuoted(`${pathOf(node)}:${flag}`))
        .join(' | ')}) return ;;`,
  )
  .join('\n')}
  esac
  case "$at" in
${tree.map((node) => `    ${shellQuoted(pathOf(node))}) words=${shellQuoted(wordsOf(node).join(' '))} flags=${shellQuoted(flagsOf(node).join(' '))} ;;`).join('\n')}
  esac
  case "$word" in
    -*) words=$flags ;;
  esac
  while IFS='' read -r i; do COMPREPLY+=("$i"); done < <(compgen -W "$words" -- "$word")
}
complete -o default -F _atrium atrium
`
}

function zsh(tree: readonly CommandNode[]): string {
  const described = (list: readonly { name: string; description: string }[]): string =>
    list.map(({ name, description }) => shellQuoted(`${name.replaceAll(':', '\\:')}:${description}`)).join(' ')
  const words = ({ commands, choices }: CommandNode): string =>
    described([...commands, ...choices.map((name) => ({ name, description: '' }))])
  const flags = ({ options }: CommandNode): string =>
    described(options.flatMap(({ flags: names, description }) => names.map((name) => ({ name, description }))))
  return `#compdef atrium
# Completion of atrium for zsh: eval "$(atrium completion zsh)" in ~/.zshrc, after compinit
_atrium() {
  local at='' i
  local -a known flags
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
      (${below(tree)
        .map((node) => shellQuoted(pathOf(node)))
        .join('|')}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
  case "$at" in
${tree.map((node) => `    (${shellQuoted(pathOf(node))}) known=(${words(node)}) flags=(${flags(node)}) ;;`).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o option flags
  elif (( \${#known} )); then
    _describe command known
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _atrium ]]; then
  _atrium "$@"
else
  compdef _atrium atrium
fi
`
}

function fish(tree: readonly CommandNode[]): string {
  const lines = tree.flatMap((node) => {
    const where = `-n ${fishQuoted(`__atrium_at ${fishQuoted(pathOf(node))}`)}`
    const words = wordsOf(node).length > 0 ? [`complete -c atrium -f ${where}`] : []
    const commands = node.commands.map(
      ({ name, description }) => `complete -c atrium ${where} -a ${name} -d ${fishQuoted(description)}`,
    )
    const choices = node.choices.map((name) => `complete -c atrium ${where} -a ${fishQuoted(name)}`)
    const options = node.options.map(({ flags, takesValue, description }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      return `complete -c atrium ${where} ${names.join(' ')}${takesValue ? ' -r' : ''} -d ${fishQuoted(description)}`
    })
    return [...words, ...commands, ...choices, ...options]
  })
  return `# Completion of atrium for fish: atrium completion fish > ~/.config/fish/completions/atrium.fish
function __atrium_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- $next ${below(tree)
          .map((node) => fishQuoted(pathOf(node)))
          .join(' ')}; and set at $next
    end
    test "$at" = "$argv"
end
${lines.join('\n')}
`
}

function fishQuoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
