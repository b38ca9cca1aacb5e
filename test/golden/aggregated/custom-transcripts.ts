import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '@strata/api'
import type { TranscriptFile } from './served-steps.ts'

/** A transcript with the CRDs whose instances its steps are about. */
export interface CustomTranscript {
  readonly transcript: TranscriptFile
  readonly definitions: readonly CustomResourceDefinition[]
}

const directory = join(import.meta.dirname, '../kubectl/transcripts')

const transcripts: readonly TranscriptFile[] = readdirSync(directory)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as TranscriptFile)

/** The topics about applying and watching, which are recorded of ConfigMaps. */
export const configMapTranscripts: readonly TranscriptFile[] = transcripts.filter(({ name }) =>
  ['apply', 'ssa', 'watch'].includes(name),
)

/** The transcripts that bring a CRD of their own group. */
export const customTranscripts: readonly CustomTranscript[] = transcripts
  .map((transcript) => ({ transcript, definitions: definitionsOf(transcript) }))
  .filter(({ definitions }) => definitions.length > 0)

/** Those that the transcript creates with success: `crd.json`. What is there to be refused has another name. */
function definitionsOf({ manifests = {} }: TranscriptFile): readonly CustomResourceDefinition[] {
  const text = manifests['crd.json']
  return typeof text === 'string' ? [JSON.parse(text) as CustomResourceDefinition] : []
}
