export { parseServiceMappings, type ServicePort, type ServiceResolver } from './service-resolver.ts'
