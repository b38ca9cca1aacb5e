export { ensureCredentials, type FleetCredentials } from './fleet-credentials.ts'
export { writeKubeconfig } from './kubeconfig.ts'
export { loadTokens } from './token-file.ts'
