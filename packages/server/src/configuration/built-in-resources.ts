import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  discoveryDocHashes,
  events,
  isKind,
  leases,
  limitRanges,
  localSubjectAccessReviews,
  mutatingWebhookConfigurations,
  namespaces,
  type ResourceDefinition,
  resourceQuotas,
  roleBindings,
  roles,
  secrets,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  serviceAccounts,
  storageAgreements,
  storageCensuses,
  storageReencodes,
  storageStates,
  storageVersionBallots,
  storageVersionMigrations,
  storageVersions,
  subjectAccessReviews,
  tokenReviews,
  upgradeReviews,
  validatingWebhookConfigurations,
  versionedMigrations,
} from '@strata/api'

/** Kinds that every server has. The cast drops their object types; the codec keeps them. */
export const builtInResources = [
  namespaces,
  leases,
  storageAgreements,
  storageVersions,
  storageVersionBallots,
  discoveryDocHashes,
  configMaps,
  secrets,
  serviceAccounts,
  resourceQuotas,
  limitRanges,
  events,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  apiServices,
  storageStates,
  versionedMigrations,
  storageVersionMigrations,
  selfSubjectReviews,
  tokenReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
  storageCensuses,
  storageReencodes,
  upgradeReviews,
] as unknown as readonly ResourceDefinition[]

/** The built-in kinds of an aggregated server: those that agreement needs, and the questions about its store. */
export const aggregatedResources = builtInResources.filter(
  (each) => each.bootstrap || (each.isReview && each.group === 'strata.dev'),
)

/** Kinds that belong to a feature gate. With the gate off they are not served, and no CRD may take their name. */
export function gatedOff(
  definition: ResourceDefinition,
  gates: { readonly EnableCoordinatedDiscoveryDocument: boolean },
): boolean {
  const isDocHashes = isKind(definition, discoveryDocHashes)
  return isDocHashes && !gates.EnableCoordinatedDiscoveryDocument
}
