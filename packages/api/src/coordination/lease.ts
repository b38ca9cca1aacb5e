import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, invalid } from '../machinery/field-error.ts'
import {
  identityVersion,
  integer,
  microTime,
  objectSchema,
  structSchema,
  text,
} from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'

export interface Lease extends ApiObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    /** With microseconds. */
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
    strategy?: string
    preferredHolder?: string
  }
}

function validate({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = []
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'))
  }
  if (spec.leaseTransitions !== undefined && spec.leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', spec.leaseTransitions, 'must be greater than or equal to 0'))
  }
  return errors
}

// Pointers upstream: an empty holder is not the same as none.
const optionalText = { ...text, nullable: true } as const
const optionalInteger = { ...integer, format: 'int32', nullable: true } as const

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema('LeaseSpec', 'The holder of a lease and its timing.', {
        holderIdentity: { ...optionalText, description: 'The identity of the current holder.' },
        leaseDurationSeconds: {
          ...optionalInteger,
          description: 'How many seconds after the last renewal the lease expires.',
        },
        acquireTime: { ...microTime, description: 'When the current holder acquired the lease.' },
        renewTime: {
          ...microTime,
          description: 'renewTime is a time when the current holder of a lease has last updated the lease.',
        },
        leaseTransitions: { ...optionalInteger, description: 'How often the holder has changed.' },
        strategy: { ...optionalText, description: 'The strategy of coordinated leader election.' },
        preferredHolder: { ...optionalText, description: 'The holder that should take over the lease.' },
      }),
      default: {},
      description: 'The holder of the lease and its timing.',
    },
  }),
  description: 'A lock that its holder must renew. Used for leader election and as a heartbeat.',
}

/** Fields of coordinated leader election, a gate that is off by default. Upstream accepts and drops them. */
function dropCoordination({ spec }: Lease): void {
  delete spec?.strategy
  delete spec?.preferredHolder
}

export const leases = defineResource<Lease>({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<Lease>(schema),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'leases',
  bootstrap: true,
  columns: [
    nameColumn,
    textColumn(
      'Holder',
      'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.',
      ({ spec }) => spec?.holderIdentity ?? '',
    ),
    ageColumn,
  ],
  strategy: {
    allowCreateOnUpdate: true,
    prepareForCreate: dropCoordination,
    prepareForUpdate: dropCoordination,
    validate,
  },
})
