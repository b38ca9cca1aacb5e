export { ApiServices } from './api-services.ts'
