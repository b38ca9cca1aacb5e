export { createOpenApi, documentUrl, type OpenApi, type OpenApiDocument } from './openapi.ts'
