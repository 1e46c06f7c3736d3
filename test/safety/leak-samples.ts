// A sample for every row of the leak rules: what begins a key, and the shortest way in which it goes on. The table was
// derived from the rules, so it notices a changed or removed row, and not a format that a rule has wrong from the start.
// Made up of parts, so that no scanner takes this file for a leak.

/**
 * `{A20}` stands for 20 letters and digits, `U` capitals, `L` small letters, `H` hexadecimal, `D` digits; `{a20}` for
 * letters and digits that may be fewer.
 */
type SampleRow = readonly [id: string, beginnings: string, rests: string, before?: string]

export type Sample = {
  readonly id: string
  readonly beginning: string
  readonly text: string
  /** The same, one character too short; undefined where the length is not what makes it a key. */
  readonly nearMiss: string | undefined
}

/** Every beginning with every rest. */
export function leakSamples(): Sample[] {
  return rows.flatMap(([id, beginnings, rests, before = '']) =>
    beginnings.split('|').flatMap((beginning) =>
      rests.split('|').map((rest): Sample => {
        const made = (template: string): string => filled(before) + beginning + filled(template)
        const shorter = rest.replace(/\{([A-Z])(\d+)\}(?!.*\{)/, (_, kind: string, count: string) => {
          return `{${kind}${Number(count) - 1}}`
        })
        return { id, beginning, text: made(rest), nearMiss: shorter === rest ? undefined : made(shorter) }
      }),
    ),
  )
}

const letters: Readonly<Record<string, string>> = {
  a: 'k3JxP9qLm2Vw7Zt5Rb8Nc4Yd6Fh1Gs0Aq3We5Rt7Yu9Io1Pa',
  A: 'k3JxP9qLm2Vw7Zt5Rb8Nc4Yd6Fh1Gs0Aq3We5Rt7Yu9Io1Pa',
  U: 'K3JX9QLM2VW7ZT5RB8NC4YD6FH1GS0AQ',
  L: 'k3jx9qlm2vw7zt5rb8nc4yd6fh1gs0aq',
  Z: 'kjxpqlmvwz',
  H: '3f2a9c1e7b644d589e0fa1b2c3d4e5f6',
  D: '1234567891',
}

function filled(template: string): string {
  return template
    .replaceAll('{uuid}', '3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5f6')
    .replaceAll(/\{([A-Za-z])(\d+)\}/g, (_, kind: string, count: string) => {
      const some = letters[kind] ?? ''
      return some.repeat(Math.ceil(Number(count) / some.length)).slice(0, Number(count))
    })
}

const rows: readonly SampleRow[] = [
  ['aws-access-key', 'AKIA|ABIA|ACCA', '{U16}'],
  ['aws-access-key', 'ASIA', '{U16}'],
  ['aws-bedrock-key', 'ABSKQmVkcm9ja|bedrock-api-key-', '{A40}'],
  ['aws-session-token', 'IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz', '{A100}'],
  ['aws-mws-token', 'amzn.mws.', '{uuid}'],
  ['google-api-key', 'AIza', '{A33}'],
  ['google-oauth', 'GOCSPX-', '{A28}'],
  ['google-oauth', 'ya29.', '{A30}'],
  ['google-oauth', '1//0', '{A60}'],
  ['firebase-key', ':APA91b', '{A100}', 'AAAA{A7}'],
  ['azure-key', 'AccountKey=', '{A86}=='],
  ['azure-key', 'SharedAccessKey=', '{A43}='],
  ['azure-client-secret', '0Q~|1Q~|2Q~|3Q~|4Q~|5Q~|6Q~|7Q~|8Q~|9Q~', '{A31}', '{A3}'],
  ['azure-sas', 'sig=', '{A40}=|{A40}%3D'],
  ['azure-devops-token', 'AZDO', '{A4}', '{A70}'],
  ['alibaba-key', 'LTAI', '{A12}'],
  ['tencent-key', 'AKID', '{A32}'],
  ['yandex-key', 'AQVN', '{A35}'],
  ['yandex-key', 't1.', '{A50}.{A80}'],
  ['digitalocean-token', 'dop_v1_|doo_v1_|dor_v1_', '{H64}'],
  ['cloudflare-key', 'cfut_|cfat_|cfk_', '{A40}'],
  ['cloudflare-key', 'v1.0-', '{H24}-{H146}'],
  ['heroku-key', 'HRKU-', '{uuid}|{A40}'],
  ['fly-token', 'fm1r_|fm1a_|fm2_|fo1_', '{A40}'],
  ['vercel-token', 'vcp_|vca_|vci_|vcr_|vck_', '{A24}'],
  ['vercel-token', 'vercel_blob_rw_', '{A10}_{A20}'],
  ['netlify-token', 'nfp_|nfc_|nfo_|nfu_', '{A36}'],
  ['render-key', 'rnd_', '{A28}'],
  ['supabase-key', 'sbp_', '{H40}'],
  ['supabase-key', 'sb_secret_', '{A20}'],
  ['planetscale-token', 'pscale_tkn_|pscale_pw_|pscale_oauth_', '{A32}'],
  ['neon-key', 'napi_', '{L40}'],
  ['databricks-token', 'dapi|dkea|dose', '{H32}|{H32}-2'],
  ['vault-token', 'hvs.|hvb.|hvr.', '{A24}'],
  ['terraform-token', '.atlasv1.', '{A60}', '{A14}'],
  ['doppler-token', 'dp.', 'pt.{A40}|st.{A40}|ct.{A40}|sa.{A40}|scim.{A40}|audit.{A40}|st.dev_eu.{A40}'],
  ['pulumi-token', 'pul-', '{H40}'],
  ['onepassword', 'ops_eyJ', '{A100}'],
  ['onepassword', 'A3-', '{U6}-{U11}-{U5}-{U5}-{U5}|{U6}-{U6}-{U5}-{U5}-{U5}-{U5}'],
  ['age-key', 'AGE-SECRET-KEY-1', '{U58}'],
  ['tailscale-key', 'tskey-', 'api-{A6}|auth-{A6}-{a10}'],
  ['ngrok-key', 'ngrok_api_', '{A30}'],
  ['github-token', 'ghp_|gho_|ghu_|ghs_|ghr_', '{A36}'],
  ['github-token', 'github_pat_', '{A22}'],
  ['gitlab-token', 'glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-', '{A20}'],
  ['gitlab-token', 'GR1348941', '{A20}'],
  ['atlassian-token', 'ATATT3|ATCTT3', '{A60}'],
  ['atlassian-token', 'ATBB', '{A28}'],
  ['sourcegraph-token', 'sgp_|sgph_', '{H40}|local_{H40}|{H16}_{H40}'],
  ['npm-token', 'npm_', '{A36}'],
  ['npm-auth', '_authToken=|_auth=|_password=', '{A16}|"{A16}'],
  ['pypi-token', 'pypi-AgE', '{A50}'],
  ['rubygems-key', 'rubygems_', '{H48}'],
  ['crates-token', 'cio', '{A32}'],
  ['docker-token', 'dckr_pat_|dckr_oat_', '{A27}'],
  ['nuget-key', 'oy2', '{L43}'],
  ['clojars-token', 'CLOJARS_', '{L60}'],
  ['artifactory-key', 'AKCp', '{A69}'],
  ['artifactory-key', 'cmVmdGtuO', '{A50}'],
  ['circleci-token', 'CCIPAT_|CCIPRJ_', '{A22}_{H40}'],
  ['buildkite-token', 'bkua_|bkaj_|bkct_', '{A40}'],
  ['sonar-token', 'sqp_|squ_|sqa_', '{H40}'],
  ['sentry-token', 'sntrys_', '{A60}'],
  ['sentry-token', 'sntryu_', '{H64}'],
  ['grafana-token', 'glsa_', '{A32}_{H8}'],
  ['grafana-token', 'glc_eyJ', '{A30}'],
  ['newrelic-key', 'NRAK-|NRII-', '{A27}'],
  ['postman-key', 'PMAK-', '{H24}-{H34}'],
  ['dynatrace-token', 'dt0c01.', '{U24}.{U64}'],
  ['dynatrace-token', 'dt0s', '{D1}{D1}.{U24}.{U64}'],
  ['posthog-key', 'phx_|phs_', '{A40}'],
  ['launchdarkly-key', 'sdk-', '{uuid}'],
  ['lob-key', 'live_|test_', '{H35}|{A40}'],
  ['infisical-token', 'st.', '{H24}.{H32}.{H32}'],
  ['treasure-key', 'tk-us-', '{A48}'],
  ['plain-secret', 'secret-', '{A43}'],
  ['openai-key', 'sk-', '{A20}|proj-{a20}|svcacct-{a20}|admin-{a20}|None-{a20}|ant-api03-{a20}|or-v1-{a20}|lf-{a20}'],
  ['huggingface-token', 'hf_|api_org_', '{A30}'],
  ['groq-key', 'gsk_', '{A40}'],
  ['replicate-key', 'r8_', '{A32}'],
  ['perplexity-key', 'pplx-', '{A40}'],
  ['xai-key', 'xai-', '{A60}'],
  ['together-key', 'tgp_v1_', '{A30}'],
  ['cerebras-key', 'csk-', '{A40}'],
  ['nvidia-key', 'nvapi-', '{A50}'],
  ['pinecone-key', 'pcsk_', '{A50}'],
  ['tavily-key', 'tvly-', '{A30}|dev-{A30}|prod-{A30}'],
  ['jina-key', 'jina_', '{A50}'],
  ['e2b-key', 'e2b_', '{H40}'],
  ['firecrawl-key', 'fc-', '{H32}'],
  ['langsmith-key', 'lsv2_pt_|lsv2_sk_', '{H32}_{H10}'],
  ['wandb-key', 'wandb_v1_', '{A40}'],
  ['fireworks-key', 'fw_', '{A22}'],
  ['voyage-key', 'pa-', '{A43}'],
  ['elevenlabs-key', 'sk_', '{H48}'],
  ['mailgun-key', 'key-', '{H32}'],
  ['stripe-key', 'sk_live_|sk_test_|sk_prod_|sk_org_|rk_live_|rk_test_|rk_prod_|rk_org_', '{A16}'],
  ['stripe-key', 'whsec_', '{A24}'],
  ['square-token', 'sq0atp-|sq0csp-|sq0idp-', '{A22}'],
  ['square-token', 'EAAA', '{A60}'],
  ['paypal-token', 'access_token$production$|access_token$sandbox$', '{L16}${H32}'],
  ['shopify-token', 'shpat_|shpca_|shppa_|shpss_', '{H32}'],
  ['plaid-token', 'access-sandbox-|access-production-|access-development-', '{uuid}'],
  ['razorpay-key', 'rzp_live_|rzp_test_', '{A14}'],
  ['flutterwave-key', 'FLWSECK-|FLWSECK_TEST-', '{A12}'],
  ['easypost-key', 'EZAK|EZTK', '{A54}'],
  ['shippo-key', 'shippo_live_|shippo_test_', '{H40}'],
  ['duffel-key', 'duffel_live_|duffel_test_', '{A43}'],
  ['slack-token', 'xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-', '{A10}'],
  ['slack-token', 'xoxe.xoxb-|xoxe.xoxp-', '{D1}-{a100}'],
  ['slack-token', 'xapp-', '{D1}-{U6}-{D6}-{L40}'],
  ['slack-webhook', 'hooks.slack.com/services/|hooks.slack.com/workflows/', '{A20}'],
  ['discord-webhook', 'discord.com/api/|discordapp.com/api/', 'webhooks/{D16}/{A50}|v10/webhooks/{D16}/{A50}'],
  ['discord-token', 'MD|MT|Mj|Mz|ND|NT|Nj|Nz|OD|OT', '{A21}.{A6}.{A27}'],
  ['teams-webhook', 'webhook.office.com/webhookb2/', '{uuid}@{uuid}/IncomingWebhook/{A20}/{uuid}'],
  ['telegram-token', ':AA', '{A30}', '{D8}'],
  ['twilio-key', 'SK', '{H32}'],
  ['sendgrid-key', 'SG.', '{A16}.{A39}'],
  ['brevo-key', 'xkeysib-', '{H64}-{A16}'],
  ['resend-key', 're_', '{A8}_{A20}'],
  ['mailchimp-key', '-us', '{D1}', '{H32}'],
  ['notion-token', 'ntn_', '{A40}'],
  ['notion-token', 'secret_', '{A43}'],
  ['linear-token', 'lin_api_|lin_oauth_', '{A32}'],
  ['figma-token', 'figd_|figu_', '{A38}'],
  ['typeform-token', 'tfp_', '{A40}'],
  ['contentful-token', 'CFPAT-', '{A43}'],
  ['dropbox-token', 'sl.', '{A120}|u.{A120}'],
  ['readme-key', 'rdme_', '{L70}'],
  ['prefect-key', 'pnu_', '{A36}'],
  ['adafruit-key', 'aio_', '{A28}'],
  ['intercom-key', 'ico-', '{A32}'],
  ['frameio-token', 'fio-u-', '{A64}'],
  ['mapbox-token', 'sk.eyJ', '{A20}.{A10}'],
  ['hubspot-token', 'pat-na1-|pat-eu1-', '{uuid}'],
  ['airtable-token', 'pat', '{A14}.{H64}'],
  ['facebook-token', 'EAA', '{A90}'],
  ['atrium-token', 'atr_', '{A43}|{A22}'],
  [
    'private-key',
    '-----BEGIN ',
    'PRIVATE KEY-----\n{A10}|EC PRIVATE KEY-----\n{A10}|PGP PRIVATE KEY BLOCK-----\n\n{A10}|RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{A10}|RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n{A10}|PGP PRIVATE KEY BLOCK-----\nComment: two -- https://words.test\n\n{A10}|PGP PRIVATE KEY BLOCK----- Version: GnuPG v2 {A10}|EC PRIVATE KEY----- Proc-Type: 4,ENCRYPTED DEK-Info: A,0 {A10}|EC PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\n{A10}',
  ],
  ['private-key', 'PuTTY-User-Key-File-', '3: ssh-ed25519\nPrivate-Lines: 1\n{a20}'],
  ['private-key', 'LS0tLS1CRUdJTi', 'BQUklWQVRFIEtFWS0tLS0t{A18}'],
  ['jwt', 'eyJ', '{A8}.eyJ{A8}.{A16}'],
  ['url-password', '://', 'me:s3c@a|:s3c@a', 'https'],
  ['bearer-header', 'earer |EARER |earer%20|earer+', '{A20}|"{A20}', 'B'],
  ['basic-header', 'asic |ASIC ', 'bWU6czNjcjN0', 'B'],
  ['docker-login', 'auth"|auth\\"', ':"bWU6czNjcjN0"|: \\"bWU6czNjcjN0\\"'],
  ['netrc-password', 'machine ', 'a.example login me password {A6}'],
  [
    'aws-secret-key',
    'ecret_access_key|ecretAccessKey|ECRET_ACCESS_KEY|ecretaccesskey|ecret_key|ECRET_KEY|ecretKey',
    '={A40}|_prod: "{A40}|\\": \\"{A40}',
  ],
  [
    'assigned-secret',
    '_TOKEN|_SECRET|APP_KEY|ADMIN_KEY|PRIVATE_KEY|MASTER_KEY|ENCRYPTION_KEY|AUTH_KEY|SIGNING_KEY|ACCESS_KEY|API_KEY|_APIKEY|API-Key',
    '={A16}|_prod: "{A16}|\\": \\"{A16}',
  ],
  ['assigned-secret', 'SECRET_KEY', ' = "#{A29}"|="#{A29}"'],
  ['assigned-password', 'password|PASSWORD|Password|passwd|PASSWD', '={A10}|_prod: "{A10}|\\": \\"{A10}'],
  [
    'assigned-secret',
    'api_key|apiKey|api-key|Api-Key|API-KEY|ApiKey|apikey|APIKEY|auth_token|authToken|access_token|accessToken|api_token|apiToken|client_secret|clientSecret|app_secret|SECRET_KEY|secret_key|secretKey|bot_token|PASSWORD|signing_secret',
    '={A20}|_prod: "{A20}|\\": \\"{A20}',
  ],
  // The rule above finds these from 16 characters on.
  [
    'assigned-secret',
    'API_KEY|AUTH_TOKEN|ACCESS_TOKEN|API_TOKEN|CLIENT_SECRET|APP_SECRET|SECRET_TOKEN|PRIVATE_TOKEN|BOT_TOKEN|SIGNING_SECRET',
    '={a20}|_prod: "{a20}|\\": \\"{a20}',
  ],
]
