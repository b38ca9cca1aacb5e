export { createOpenApi, documentUrl, type OpenApi } from './openapi.ts'
export type { OpenApiDocument } from './openapi-document.ts'
export { documentFromSwagger, takeDocument, takeSwagger } from './remote/remote-documents.ts'
export type { SwaggerForm } from './swagger-pieces.ts'
