export { ensureCredentials, type FleetCredentials } from './fleet-credentials.ts'
export { writeKubeconfig } from './kubeconfig.ts'
export { loadServiceAccountTokens, type ServiceAccountFlags } from './service-account-keys.ts'
export { loadTokens } from './token-file.ts'
