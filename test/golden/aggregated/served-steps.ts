export interface RecordedStep {
  readonly cmd: string
  readonly during?: readonly (string | { readonly cmd: string })[]
  readonly expectExit?: number | string
  readonly stdin?: string
  readonly stdout?: string
  readonly stderr?: string
}

export interface TranscriptFile {
  readonly name: string
  readonly manifests?: Readonly<Record<string, string | { readonly base64: string }>>
  readonly setup?: readonly (string | RecordedStep)[]
  readonly steps: readonly RecordedStep[]
}

/** What is left of a transcript where another server has the kind. `numbers` says which of the recorded steps they are. */
export interface ServedSteps {
  readonly transcript: TranscriptFile
  readonly numbers: readonly number[]
}

/**
 * The steps of a transcript about a custom kind that are also about the same kind of an aggregated server:
 * - Steps about the CRD itself are not, for there is none.
 * - Steps before a CRD is created and after it is changed are not: the kind is always there, and stays as it is.
 * - Of the others, those that name the kind, and those that create what later steps use.
 */
export function servedSteps(transcript: TranscriptFile): ServedSteps {
  const { setup = [], steps, manifests = {} } = transcript
  const isDefinition = (file: string): boolean => textOf(manifests[file]).includes('CustomResourceDefinition')
  const named = namesOf(textOf(manifests['crd.json']))
  const about = (cmd: string): 'definition' | 'kind' | 'creates' | 'other' => {
    const files = filesOf(cmd)
    if (files.some(isDefinition) || /\bcrds?\b(?!\.)/.test(withoutNamespace(cmd))) return 'definition'
    const text = [cmd, ...files.map((file) => textOf(manifests[file]))].join('\n')
    if (named.test(withoutNamespace(text))) return 'kind'
    return files.length > 0 && cmd.startsWith('kubectl create ') ? 'creates' : 'other'
  }
  const commands = (step: RecordedStep): readonly string[] => [
    step.cmd,
    ...(step.during ?? []).map((each) => (typeof each === 'string' ? each : each.cmd)),
  ]
  const succeeds = (verb: RegExp) => (step: RecordedStep) =>
    step.expectExit === 0 && verb.test(step.cmd) && about(step.cmd) === 'definition'
  const createdAt = steps.findIndex(succeeds(/^kubectl create /))
  const changedAt = steps.findIndex(succeeds(/^kubectl (?:patch|delete) /))
  const numbers = steps.flatMap((step, index) => {
    if (index < createdAt || (changedAt >= 0 && index > changedAt)) return []
    const all = commands(step).map(about)
    if (all.includes('definition')) return []
    return all.includes('kind') || all[0] === 'creates' ? [index + 1] : []
  })
  return {
    numbers,
    transcript: {
      ...transcript,
      setup: setup.filter((each) => about(typeof each === 'string' ? each : each.cmd) !== 'definition'),
      steps: numbers.map((number) => steps[number - 1] as RecordedStep),
    },
  }
}

const textOf = (manifest: unknown): string => (typeof manifest === 'string' ? manifest : '')

/** The transcript's own namespace, `t-crd`, names nothing. */
const withoutNamespace = (text: string): string => text.replaceAll(/\bt-[\w-]+/g, '')

function filesOf(cmd: string): readonly string[] {
  return [...cmd.matchAll(/ -f (\S+)/g)].map(([, file = '']) => file)
}

/** All that a command may call the kind by. */
function namesOf(definition: string): RegExp {
  if (definition === '') return /^\b$/
  const { group, names } = JSON.parse(definition).spec
  const { plural, singular, kind, shortNames = [], categories = [] } = names
  const all = [plural, singular, kind, ...shortNames, ...categories, group.replaceAll('.', String.raw`\.`)]
  return new RegExp(String.raw`(?<![\w.-])(?:${all.join('|')})(?![\w-])`)
}
