import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CustomResourceDefinition, versionsOf } from '@strata/api'
import { AggregatedProcesses } from '../../support/aggregated-processes.ts'
import { replayTopics } from '../replay-transcripts.ts'
import type { StepResult } from '../step-result.ts'
import { aboutNotes } from './about-notes.ts'
import { type CustomTranscript, configMapTranscripts, customTranscripts } from './custom-transcripts.ts'
import { notes } from './notes.ts'
import { type ServedSteps, servedSteps, type TranscriptFile } from './served-steps.ts'

const resourcesModule = join(import.meta.dirname, 'resources.ts')

/** How many pairs of servers are played to side by side. The kinds have the same names, so a pair has one topic at a time. */
const lanes = 2

/** One topic, with the versions of the kinds that it is about. */
interface Play extends ServedSteps {
  readonly id: string
  readonly versions: readonly GroupVersion[]
}

interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** Plays the transcripts about custom kinds to aggregators, of whose kinds aggregated servers have the objects. */
export async function replayAggregated(): Promise<readonly StepResult[]> {
  const waiting = [...customTranscripts.map(customPlay), ...configMapTranscripts.map(notesPlay)].sort(
    (a, b) => b.numbers.length - a.numbers.length,
  )
  const results: StepResult[] = []
  const lane = async (): Promise<void> => {
    const pair = await AggregatedProcesses.start(resourcesModule)
    try {
      for (let next = waiting.shift(); next; next = waiting.shift())
        results.push(...(await replay(pair, next)))
    } finally {
      await pair.stop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, waiting.length) }, lane))
  return results
}

function customPlay({ transcript, definitions }: CustomTranscript): Play {
  return {
    ...servedSteps(transcript),
    id: transcript.name,
    versions: definitions.flatMap(versionsByPreference),
  }
}

function notesPlay(transcript: TranscriptFile): Play {
  return {
    ...aboutNotes(transcript),
    id: `notes-${transcript.name}`,
    versions: [{ group: notes.group, version: notes.preferredStorageVersion }],
  }
}

async function replay(
  pair: AggregatedProcesses,
  { id, transcript, numbers, versions }: Play,
): Promise<readonly StepResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-golden-'))
  const services = versions.map(apiService)
  const names = services.map((each) => `apiservice/${each.metadata.name}`)
  try {
    await writeFile(join(directory, `${transcript.name}.json`), JSON.stringify(transcript))
    const caBundle = await pair.caBundle()
    const items = services.map((each) => ({ ...each, spec: { ...each.spec, caBundle } }))
    await pair.ok(['create', '-f', '-'], { apiVersion: 'v1', kind: 'List', items })
    await pair.ok(['wait', '--for=condition=Available', ...names, '--timeout=30s'])
    const results = await replayTopics({
      kubeconfig: pair.kubeconfig,
      program: 'STRATA_KUBECTL',
      directory,
      topics: [transcript.name],
      numberOf: (step) => numbers[step - 1] ?? 0,
    })
    return results.map((each) => ({ ...each, id: each.id.replace(transcript.name, id) }))
  } finally {
    await pair.run(['delete', ...names])
    await rm(directory, { recursive: true, force: true })
  }
}

/** In the order of preference that upstream gives the versions of a CRD: stable ones first, the highest of them. */
function versionsByPreference(crd: CustomResourceDefinition): readonly GroupVersion[] {
  return versionsOf(crd)
    .map(({ name }) => name)
    .sort((a, b) => Number(/alpha|beta/.test(b)) - Number(/alpha|beta/.test(a)) || (a < b ? -1 : 1))
    .map((version) => ({ group: crd.spec.group, version }))
}

function apiService({ group, version }: GroupVersion, index: number) {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, service: { namespace: 'shop', name: 'api' } },
      ...{ groupPriorityMinimum: 1000, versionPriority: 10 * (index + 1) },
    },
  }
}
