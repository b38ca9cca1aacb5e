import { discoveryDocHashes } from '../apiservercoordination/discovery-doc-hashes.ts'
import { storageVersions } from '../apiserverinternal/storage-version.ts'
import { storageVersionBallots } from '../apiserverinternal/storage-version-ballot.ts'
import { leases } from '../coordination/lease.ts'
import { namespaces } from '../core/namespace.ts'
import { type GroupResource, groupResourceText } from '../meta/names.ts'
import { storageAgreements } from './storage-agreement.ts'

const frozen: ReadonlySet<string> = new Set(
  [namespaces, leases, storageAgreements, storageVersions, storageVersionBallots, discoveryDocHashes].map(
    groupResourceText,
  ),
)

/**
 * The resources that agreement itself needs: in one version for ever, in every release (agreement.md, rule 0), and never
 * encrypted. Even a server that does not record cannot store them otherwise, so there is nothing to migrate.
 */
export function isFrozenResource(resource: GroupResource): boolean {
  return frozen.has(groupResourceText(resource))
}
