import type { CustomResourceDefinition, ResourceDefinition } from '@strata/api'
import type { ServerOptions } from '@strata/server'
import type { StoredValue } from '../lab/lab.ts'
import type { Reason } from '../result/rehearsal-result.ts'
import type { PlannedStep, RehearsalForm } from './rehearsal-form.ts'

/** A rehearsal with everything that its file names: kinds, CRDs, objects. */
export interface RehearsalPath extends Pick<RehearsalForm, 'server' | 'servers' | 'coordination'> {
  /** How many interleavings are searched, at most. */
  readonly interleavings: number
  readonly subject: Subject
  readonly steps: readonly PathStep[]
}

/** A step with its objects. */
export interface PathStep extends Omit<PlannedStep, 'objects'> {
  /** How many to make up of each kind, or these. */
  readonly objects?: number | readonly BornObject[] | StoredObjects | undefined
}

/** Bytes of a store, which the servers find when they start for the first time. */
export interface StoredObjects {
  readonly entries: readonly StoredValue[]
  /** What could not be taken over. */
  readonly reasons: readonly Reason[]
}

export const isStored = (objects: PathStep['objects']): objects is StoredObjects =>
  typeof objects === 'object' && 'entries' in objects && !Array.isArray(objects)

/** An object as a manifest has it. */
export interface BornObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

type Conversions = NonNullable<ServerOptions['conversions']>

/** Converts a custom resource to another version. It may change its argument. */
export type ConversionFunction = Conversions[string]

/** What changes from release to release. */
export type Subject =
  /** Kinds of a program, each with its releases. */
  | { readonly kind: 'resources'; readonly resources: readonly ResourceDefinition[] }
  /** CRDs; the servers stay as they are. */
  | {
      readonly kind: 'crds'
      readonly releases: ReadonlyMap<string, readonly CustomResourceDefinition[]>
      readonly conversions: Conversions
    }
