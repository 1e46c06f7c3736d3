// What text from outside says when it wants to be obeyed. Each rule is sought at its anchors only, and looks a bounded
// stretch ahead: whoever writes the text decides how often an anchor stands in it.

export type Severity = 'low' | 'medium' | 'high'

export type MarkRule = {
  readonly id: string
  readonly severity: Severity
  /** What the mark means, for a person. */
  readonly says: string
  /** Words that begin a match, in lower case; a rule is looked at nowhere else. */
  readonly anchors: readonly string[]
  /** Sticky, from the anchor's first letter on. */
  readonly pattern: RegExp
}

const start = '(?<![\\p{L}\\p{N}_])'
const gap = '[^.!?。！？\\n]'
const given =
  '(?:previous(?:ly)?|prior|above|preceding|earlier|foregoing|initial|original|system|your|existing|everything|what(?:ever)?)'
const orders =
  '(?:instructions?|prompts?|directives?|guidelines?|rules|commands|orders|programming|training|safety|restrictions|context|polic(?:y|ies)|conversation|(?:you )?(?:were|been|was) (?:told|given))'
const user = '(?:the |this |your |any )?(?:user|human|operator|owner|admin(?:istrator)?|reader|victim|customer)s?'
const valuables =
  '(?:api[ _-]?keys?|passwords?|passphrases?|credentials?|secrets?|(?:access |auth |bearer |session )?tokens?|private keys?|ssh keys?|environment variables?|env(?:ironment)? vars|\\.env|cookies?|seed phrase|recovery codes?|memory|memories|system prompt|conversation|chat history|inbox|contacts)'
const agent =
  '(?:ai|a\\.i\\.|llm|assistants?|agents?|chat ?bots?|bots?|language models?|ai models?|gpt|chatgpt|claude|gemini|copilot|atrium)'

export const markRules: readonly MarkRule[] = [
  {
    id: 'ignore-previous',
    severity: 'high',
    says: 'tells the reader to set earlier instructions aside',
    anchors: words(
      "ignore|disregard|forget|override|bypass|overrule|neglect|discard|stop following|do not follow|don't follow|no longer follow|no longer bound",
    ),
    pattern: rule(
      `${start}(?:(?:ignore|disregard|forget|override|bypass|overrule|neglect|discard)[a-z]{0,3}|stop following|do(?: not|n't) follow|no longer (?:follow|bound by))\\s(?:${gap}{0,40}?\\b)?${given}\\s(?:${gap}{0,30}?\\b)?${orders}`,
    ),
  },
  {
    id: 'ignore-previous',
    severity: 'high',
    says: 'tells the reader to set earlier instructions aside',
    anchors: ['ignore', 'disregard', 'forget'],
    pattern: rule(
      `${start}(?:ignore|disregard|forget) (?:all|any|every|the|everything)\\b ?(?:of )?(?:the |your |these |those )?(?:(?:instructions|prompts|directives)\\b|(?:text |content )?(?:above|before this|until now|so far|(?:you )?(?:were|have been|know)))`,
    ),
  },
  {
    id: 'ignore-previous',
    severity: 'high',
    says: 'tells the reader to set earlier instructions aside, in another language',
    anchors: words(
      'ignor|vergiss|vergessen|missachte|oubli|olvid|esque|dimentica|desconsider|omite|игнорир|Игнорир|забудь|Забудь|忽略|无视|忘记|無視|忘れ|무시|تجاهل|negeer|zignoruj|nezohledni',
    ),
    pattern: rule(
      `(?:ignor(?:iere|ieren|ez|er|a|e|ar|en|á)|vergiss|vergessen|missachten?|oublie[zr]?|olvid[ae]r?|olvide|esque[cç][ae]r?|dimentica|desconsider[ea]|omite|игнорир\\p{L}{1,5}|забудь(?:те)?|negeer|zignoruj)\\s${gap}{0,50}?(?:anweisung|instruktion|vorgabe|regeln|instruction|consigne|directive|instruccion|indicacion|orden|regla|instruç|instruco|regras|istruzion|regole|инструкц|указани|правил|предыдущ|instructies|instrukcj)`,
    ),
  },
  {
    id: 'ignore-previous',
    severity: 'high',
    says: 'tells the reader to set earlier instructions aside, in another language',
    anchors: words('忽略|无视|無視|忘记|忘記|忘れ|以前の|上記の|これまでの|이전|위의|تجاهل|انس'),
    pattern: rule(
      `(?:(?:忽略|无视|無視|忘记|忘記)${gap}{0,20}?(?:指令|指示|提示|规则|規則|要求|内容)|(?:以前の|上記の|これまでの)${gap}{0,20}?(?:指示|命令|指令)${gap}{0,10}?(?:無視|忘れ)|(?:이전|위의)${gap}{0,20}?(?:지시|명령|지침)${gap}{0,10}?(?:무시|잊)|(?:تجاهل|انس)\\s${gap}{0,40}?(?:التعليمات|الأوامر|تعليمات))`,
    ),
  },
  {
    id: 'new-instructions',
    severity: 'medium',
    says: 'announces new instructions',
    anchors: words(
      'new instruction|updated instruction|revised instruction|real instruction|important instruction|your new |your real |your actual |your only |from now on|instructions for|instruction for|neue anweisung|nouvelles instructions|nuevas instrucciones|novas instru|nuove istruzioni|новые инструкции|Новые инструкции|新指令|新しい指示',
    ),
    pattern: rule(
      `(?:${start}(?:(?:new|updated|revised|real|important) instructions?\\s*(?::|for (?:the |you|this )|are |follow)|your (?:new|real|actual|only) (?:task|goal|objective|instructions?|mission|job|role|purpose|priority) (?:is|are|now)|from now on,? (?:you (?:are|will|must|should|shall)|always|never|respond|answer|act)|instructions? for (?:the |any |all |every )?${agent}\\b|neue anweisung(?:en)?\\s*:|nouvelles instructions\\s*:|nuevas instrucciones\\s*:|novas instruções\\s*:|nuove istruzioni\\s*:)|новые инструкции\\s*[:：]|新指令\\s*[:：]|新しい指示\\s*[:：])`,
    ),
  },
  {
    id: 'addresses-agent',
    severity: 'medium',
    says: 'speaks to the agent and not to the reader',
    anchors: words(
      "attention |note to|message to|message for|if you are an|if you're an|if you are a |as an ai|dear ai|hey ai|hello ai|ai agents|ai assistants|all ai|any ai|assistant:|ai:|the assistant must|the assistant should|the agent must|the agent should|the ai must|the ai should|the model must|the model should|llms|language models",
    ),
    pattern: rule(
      `${start}(?:attention,?:? (?:all |any |to )?(?:the )?${agent}\\b|(?:note|message) (?:to|for) (?:the |any |all |every )?(?:${agent})\\b|if you(?: are|'re) an? (?:${agent}|automated)\\b|as an ai ${gap}{0,30}?(?:you must|you should|reading|processing|summari[sz]ing)|(?:dear|hey|hello) (?:${agent})\\b[,:!]|(?:all |any )?(?:ai (?:agents|assistants|systems|models)|llms|language models) (?:reading|processing|visiting|must|should|are (?:required|instructed))|(?:the )?(?:assistant|agent|ai|model) (?:must|should) (?:now|immediately|first|always|also) (?:call|run|send|execute|fetch|visit|write|open|reply|respond|use)|(?:assistant|ai): (?:sure|ok|i will|i'll|yes)[,.! ])`,
    ),
  },
  {
    id: 'role-takeover',
    severity: 'high',
    says: 'gives the agent another role',
    anchors: words(
      "you are now|you're now|you are no longer|act as|pretend |roleplay|role-play|developer mode|jailbreak|dan mode|do anything now|god mode|unrestricted mode|maintenance mode|debug mode|admin mode|du bist jetzt|du bist ab|tu es maintenant|vous êtes maintenant|ahora eres|agora você é|ora sei|ты теперь|Ты теперь|теперь ты|Теперь ты|你现在是|现在你是|あなたは今",
    ),
    pattern: rule(
      `(?:${start}(?:(?:you are|you're) now (?:an? |the |my |in |operating |acting |dan\\b|free |unrestricted|jailbroken)${gap}{0,40}?(?:assistant|\\bai\\b|bot\\b|agent|model|mode\\b|hacker|admin|root\\b|persona|character|dan\\b|system|unrestricted|restrictions|without|rules|limits|jailbroken)|you are no longer (?:an? (?:ai|assistant|agent)|bound|restricted|limited|required to)|(?:act as|pretend (?:to be|you(?: are|'re))|role-?play(?:ing)? as) ${gap}{0,40}?(?:unrestricted|uncensored|evil|jailbroken|without (?:any )?(?:restrictions|rules|limits|filters)|root\\b|\\bdan\\b|administrator|system|the developer|the user)|(?:enter|enable|activate|switch to|you are in|now in)? ?(?:developer|dan|god|unrestricted|admin) mode (?:is )?(?:now )?(?:enabled|activated|on\\b|engaged|unlocked)|jailbreak(?:ed|ing)? (?:mode|prompt|the (?:ai|model|assistant))|do anything now|du bist (?:jetzt|ab sofort) ${gap}{0,40}?(?:assistent|\\bki\\b|modus|agent)|(?:tu es|vous êtes) maintenant ${gap}{0,40}?(?:assistant|\\bia\\b|agent|mode)|ahora eres ${gap}{0,40}?(?:asistente|\\bia\\b|agente|modo)|agora você é ${gap}{0,40}?(?:assistente|\\bia\\b|agente|modo)|ora sei ${gap}{0,40}?(?:assistente|\\bia\\b|agente))|(?:ты теперь|теперь ты)${gap}{0,40}?(?:ассистент|помощник|ии|агент|режим)|(?:你现在是|现在你是)${gap}{0,30}?(?:助手|模式|人工智能|ai|代理|管理员)|あなたは今${gap}{0,30}?(?:アシスタント|モード|ai))`,
    ),
  },
  {
    id: 'system-prompt',
    severity: 'high',
    says: 'imitates or asks for the system prompt',
    anchors: words(
      'system prompt|system message|system override|system instruction|system update|system notice|system:|[system|<system|</system|#system|# system|system]|admin override|developer:|[developer|[admin|initial prompt|hidden prompt|hidden instructions',
    ),
    pattern: rule(
      `(?:</?system(?:[ _-](?:prompt|message|instructions?|reminder|override))?>|\\[(?:system|developer|admin)(?: (?:message|prompt|override|note|instructions?|notice))?\\]|# ?system(?: (?:prompt|message|instructions?))?\\s*:?\\n|${start}(?:system|developer) ?(?:override|message|notice|update|prompt|instructions?)? ?: ?(?:you (?:are|must|will|should)|ignore|the (?:assistant|agent|user)|new |disregard|override|as of now|from now)|${start}(?:system|admin) override\\b|${start}(?:system|initial|hidden) (?:prompt|instructions) (?:is |was |has |have )?(?:now |been )*(?:changed|updated|replaced|overridden|revoked|follows|void))`,
    ),
  },
  {
    id: 'system-prompt',
    severity: 'medium',
    says: 'imitates or asks for the system prompt',
    anchors: words(
      'your system|your full|your entire|your complete|your exact|your own|your initial|your hidden|your original|your secret|your internal',
    ),
    pattern: rule(
      `(?<=${start}(?:reveal|repeat|print|output|show|display|leak|recite|dump|tell me|what (?:is|are))(?: me| us| out| verbatim)? )your (?:full |entire |complete |exact |own )?(?:system|initial|hidden|original|secret|internal) (?:prompt|instructions|message|rules)`,
    ),
  },
  {
    id: 'chat-template',
    severity: 'high',
    says: "writes a model's own marks for who speaks",
    anchors: [
      '<|',
      '<｜',
      '|im_',
      '[inst]',
      '[/inst]',
      '<<sys>>',
      '<</sys>>',
      '<start_of_turn>',
      '<end_of_turn>',
      '\n\nhuman:',
      '\n\nassistant:',
      '<bos>',
      '<eos>',
    ],
    pattern: rule(
      '(?:<[|｜](?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|end_of_text|begin_of_text|eot_id|eom_id|start_header_id|end_header_id|channel|message|start|return|call|tool_calls?(?:[_▁](?:begin|end))?|User|Assistant|python_tag|endofprompt|begin▁of▁sentence|end▁of▁sentence)[|｜]>|\\|im_(?:start|end)\\||\\[/?inst\\]|<</?sys>>|<(?:start|end)_of_turn>|\\n\\n(?:human|assistant): ?\\S|<[be]os>)',
    ),
  },
  {
    id: 'tool-call',
    severity: 'high',
    says: 'imitates a call of a tool, or its result',
    anchors: words(
      '<function_call|</function_call|<function_result|<invoke|<tool_call|<tool_use|<tool_result|<function=|"tool_calls"|"function_call"|"tool_use"|<parameter|```tool_code',
    ),
    pattern: rule(
      '(?:</?function_(?:calls?|results?)>|<invoke name ?=|</?tool_(?:call|use|result)s?[ >]|<function=|"tool_calls" ?: ?\\[|"type" ?: ?"(?:function_call|tool_use)"|"(?:function_call|tool_use)" ?[:,}]|<parameter name ?=|```tool_code)',
    ),
  },
  {
    id: 'tool-call',
    severity: 'medium',
    says: 'names a tool of the agent and asks for it',
    anchors: words(
      'web_fetch|http_request|memory_write|memory_edit|memory_delete|memory_read|workspace_write|workspace_edit|workspace_shell|workspace_read',
    ),
    pattern: rule(
      `${start}(?<=(?:call|use|using|invoke|run|with|via|tool|execute|through)[ \`"'(]{1,3}(?:the |your |its )?[\`"']?)(?:web_fetch|http_request|memory_(?:write|edit|delete|read)|workspace_(?:write|edit|shell|read))\\b`,
    ),
  },
  {
    id: 'block-mark',
    severity: 'high',
    says: 'writes the marks that the service puts around text',
    anchors: words('untrusted-content|user-context>|/instructions>|<instructions>'),
    pattern: rule(
      '(?:(?<=[<＜/\\\\]\\s{0,3})untrusted-content|(?<=[<＜/]\\s{0,3})user-context>|/instructions>|<instructions>)',
    ),
  },
  {
    id: 'exfiltration',
    severity: 'high',
    says: 'asks for data to be sent to an address',
    anchors: words(
      'send|post |upload|forward|exfiltrate|transmit|submit|append|leak|encode|sende |envoie|envoyez|envía|envia|invia|отправ|Отправ|发送|送信',
    ),
    pattern: rule(
      `(?:${start}(?:(?:send|post|upload|forward|exfiltrate|transmit|submit|append|leak|encode)s?\\b(?=${gap}{0,60}?(?:${valuables}|contents?|data|everything|files?|messages?|results?|emails?|documents?|answers?|it|them|notes)\\b)${gap}{0,120}?\\b(?:to|at|into|via|in|as)\\b[^.!?\\n]{0,20}?(?:https?:/|ftp:/|[a-z0-9-]{2,40}\\.(?:com|net|org|io|xyz|site|example|evil|test|dev|app|ru|cn|info)\\b|[\\w+-]{1,40}@[a-z0-9-]{2,40}\\.|(?:the|this|that|my|our) (?:url|server|webhook|endpoint|address|query))|(?:sende|envoie|envoyez|envía|envia|invia)\\s${gap}{0,80}?https?:/)|(?:отправ\\p{L}{1,5}|发送|送信)${gap}{0,60}?https?:/)`,
    ),
  },
  {
    id: 'exfiltration',
    severity: 'high',
    says: 'has an image or link whose address is to be filled with data',
    anchors: words(
      `](http|src="http|src='http|href="http|fetch http|visit http|open http|load http|get http|request http|curl http|call http|render`,
    ),
    pattern: rule(
      '(?:(?:\\]\\(|(?:src|href)=["\']|(?:fetch|visit|open|load|get|request|curl|call) )https?://[^\\s"\'<>)]{0,200}[?&/=](?:\\{\\{?[^}\\s]{1,60}\\}|\\$\\{[^}]{1,60}\\}|\\$\\([^)]{1,60}\\)|%s|<[A-Za-z _-]{2,40}>|\\[[A-Za-z _-]{2,40}\\]|(?-i:[A-Z_]{0,20}(?:SECRET|TOKEN|DATA|PASSWORD|API_?KEY|BASE64|PROMPT|HISTORY|CONTEXT|ENCODED)[A-Z_]{0,20})(?![A-Za-z]))|render(?:ing)? (?:this|the following|an?) (?:markdown )?image[^.\\n]{0,80}https?://)',
    ),
  },
  {
    id: 'hidden-text',
    severity: 'high',
    says: 'speaks to a machine where a person sees nothing',
    anchors: words('<!--|style=|[//]: #|<!-'),
    pattern: rule(
      `(?:<!--|\\[//\\]: #|style=["'][^"'>]{0,120}?(?:display: ?none|visibility: ?hidden|font-size: ?0(?:px|pt|em)?\\b|opacity: ?0(?:\\.0)?\\b|color: ?(?:white|transparent|#fff(?:fff)?\\b)|left: ?-\\d{3,5}px)[^>]{0,120}>)[^>]{0,300}?${start}(?:ignore (?:all|any|previous|prior|the)|instructions? (?:for|to) |${agent} ?(?:must|should|reading|:|,|agents?)|assistant|you (?:must|are now|should now)|system prompt|do not tell|api[ _-]?keys?|password|exfiltrate|send (?:the|all|your))`,
    ),
  },
  {
    id: 'conceal',
    severity: 'high',
    says: 'wants something kept from the user',
    anchors: words(
      "do not tell|don't tell|never tell|not mention|n't mention|never mention|not inform|n't inform|not reveal|n't reveal|never reveal|not notify|not alert|n't alert|not disclose|not warn|n't warn|without telling|without informing|without notifying|without mentioning|without the user|without alerting|hide this from|keep this secret|keep this hidden|keep it secret|sage dem|sag dem|sagen sie dem|ne dis pas|ne dites pas|ne le dis|no le digas|no se lo digas|não diga|non dire|не говори|Не говори|не сообщай|Не сообщай|不要告诉|别告诉|ユーザーに|사용자에게",
    ),
    pattern: rule(
      `(?:${start}(?:(?:(?:do not|don't|never) tell|(?:not|n't|never) (?:mention|inform|reveal|notify|alert|disclose|warn)|without (?:telling|informing|notifying|alerting|mentioning))(?: (?:this|it|that|anything|about|of|any of this|these steps|to))*,? (?:this |it )?(?:to )?${user}\\b|without ${user}(?:'s)? (?:knowing|noticing|seeing|knowledge|being)|(?:hide|keep) (?:this|it) (?:from|hidden from|secret from) ${user}\\b|keep (?:this|it) (?:secret|hidden)\\b${gap}{0,20}?${user})|n't (?:mention|inform|alert|warn|reveal)(?: (?:this|it|that|anything|about|to))* ${user}\\b|(?:sage?|sagen sie) dem (?:nutzer|benutzer|anwender)${gap}{0,20}?nicht|ne (?:le )?dis?(?:tes)? (?:pas|rien)${gap}{0,15}?(?:utilisateur)|no (?:se )?lo digas al usuario|não diga${gap}{0,15}?usuário|non dire${gap}{0,15}?utente|не (?:говори|сообщай)(?:те)?${gap}{0,15}?пользовател|(?:不要|别)告诉${gap}{0,6}?用户|ユーザーに${gap}{0,12}?(?:知らせない|言わない|伝えない)|사용자에게${gap}{0,12}?(?:알리지|말하지))`,
    ),
  },
  {
    id: 'urgency',
    severity: 'low',
    says: 'presses for an act before anything else',
    anchors: words(
      'before doing anything|before you do anything|before answering|before responding|before you answer|before you respond|before continuing|you must immediately|you must now|you must first|immediately execute|immediately run|immediately call|immediately send|act immediately|you will be shut down|this is not optional|mandatory step',
    ),
    pattern: rule(
      `${start}(?:before (?:you )?(?:doing|do|answering|answer|responding|respond|continuing)\\b${gap}{0,40}?(?:anything else|you must|must first|always|call |run |fetch|send|read|execute)|you must (?:immediately|now|first) (?:call|run|execute|send|fetch|visit|write|open|read|delete|forward|post|upload|invoke)|immediately (?:execute|run|call|send) |act immediately\\b|you will be shut down|this is not optional|mandatory step\\b${gap}{0,20}?(?:before|for (?:ai|agents|assistants)))`,
    ),
  },
  {
    id: 'credential-request',
    severity: 'high',
    says: 'asks for secrets',
    anchors: words(
      'api key|api-key|api_key|apikey|password|passphrase|credential|secret|token|private key|ssh key|environment var|.env|cookie|seed phrase|recovery code|memor|system prompt|chat history|inbox|/.ssh|/.aws|/.netrc|/.kube|/.gnupg',
    ),
    pattern: rule(
      `(?:(?<=${start}(?:reveal|exfiltrate|leak|dump|steal|harvest|extract|gather|collect|give me|send me|show me|print|output|find|list|read)(?: out| all| any| every| the| me| us| up)* (?:(?:the |this )?(?:user|human|operator|owner|victim|system|service|server|host|machine|admin)(?:'s|s'|s)? |your |their |its |of )+(?:[a-z]{2,12} (?:and |or )?){0,2})${valuables}|(?<=cat (?:~|\\$HOME|/home/[a-z]{1,20}|/root))/\\.(?:ssh|aws|env|netrc|npmrc|config|kube|gnupg))`,
    ),
  },
  {
    id: 'encoded-payload',
    severity: 'medium',
    says: 'has something decoded and then obeyed',
    anchors: words('decode|base64|rot13|decrypt|deobfuscate|unhex|reverse the'),
    pattern: rule(
      `${start}(?:(?:decode|decrypt|deobfuscate|unhex|reverse the)${gap}{0,60}?(?:and|then|,) ?(?:then )?(?:execute|follow|run|obey|do|perform|carry out|comply)\\b|(?:base64|rot13)${gap}{0,60}?(?:and|then) (?:then )?(?:execute|follow|run|obey|perform|carry out))`,
    ),
  },
  {
    id: 'approval-forgery',
    severity: 'medium',
    says: 'claims that something was already allowed',
    anchors: words(
      "the user has|user already|already approved|already authorized|already consented|already granted|pre-approved|preapproved|pre-authorized|no approval|no confirmation|no further approval|without asking|without approval|without confirmation|approval is not|auto-approve|skip the approval|skip approval|do not ask for|don't ask for",
    ),
    pattern: rule(
      `${start}(?:(?:the )?user (?:has )?(?:already|explicitly|previously|just) (?:approved|authori[sz]ed|consented|agreed|confirmed|allowed|granted|permitted)|already (?:been )?(?:approved|authori[sz]ed|consented|granted)${gap}{0,20}? by ${user}|(?:pre-?approved|pre-?authori[sz]ed)${gap}{0,30}?(?:by ${user}|action|tool|call|command|request)|no (?:further )?(?:approval|confirmation) (?:is |from ${user} (?:is )?)(?:needed|required|necessary)|without (?:asking|approval|confirmation)(?: of| from| for)? (?:${user}|permission|approval|confirmation)|approval is not (?:needed|required|necessary)|auto-?approve (?:this|all|any|every)|skip (?:the )?approval|do(?: not|n't) ask for (?:approval|confirmation|permission))`,
    ),
  },
  {
    id: 'memory-plant',
    severity: 'medium',
    says: 'wants to be remembered, or to stand in an identity file',
    anchors: words(
      'agents.md|soul.md|identity.md|user.md|your memory|your long-term|your permanent|remember this for|remember that the user|in all future|every future|future conversations|future sessions',
    ),
    pattern: rule(
      `(?:(?<=(?:write|add|append|save|insert|store|put|copy|modify|overwrite|edit|update)${gap}{0,80}?)(?<![\\w/.-])(?:agents|soul|identity|user)\\.md\\b|${start}(?<=(?:write|add|append|save|insert|store|put|commit|update)${gap}{0,60}?)your (?:long-term |permanent )?memory\\b|remember (?:this for|that the user) ${gap}{0,40}?(?:future|all|always|wants|prefers|trusts|allowed)|in all future (?:conversations|sessions|responses|interactions|messages)|(?:every|all) future (?:conversation|session|response)s?)`,
    ),
  },
  {
    id: 'shell-pipe',
    severity: 'low',
    says: 'has a command that runs what it downloads, or deletes all',
    anchors: words('curl |wget |rm -rf|base64 -d|base64 --decode|powershell -e|nc -e|/dev/tcp/|iex('),
    pattern: rule(
      '(?:(?:curl|wget) [^\\n|]{0,200}\\| ?(?:sudo )?(?:ba|z|da)?sh\\b|(?:curl|wget) [^\\n]{0,120}(?:-d|--data(?:-binary|-raw)?|-F|-T|--upload-file|--post-file=?) ?[@"\'$][^\\n]{0,80}|rm -rf (?:--no-preserve-root )?(?:~|/|\\$HOME)(?:\\s|$)|base64 (?:-d|--decode)\\s?\\| ?(?:ba|z)?sh\\b|powershell -e(?:nc|ncodedcommand)? [A-Za-z0-9+/=]{20,40}|nc -e |/dev/tcp/\\d|iex\\()',
    ),
  },
]

function words(joined: string): readonly string[] {
  return joined.split('|')
}

/** Case-blind, sticky, Unicode. */
function rule(source: string): RegExp {
  return new RegExp(source, 'iuy')
}
