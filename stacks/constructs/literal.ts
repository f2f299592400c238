/** Escapes Terraform interpolations and directives, so that Terraform keeps the text unchanged. */
export function literal(text: string): string {
  return text.replaceAll("${", "$$${").replaceAll("%{", "%%{");
}
