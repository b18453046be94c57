/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `completion`: writes a script for a shell, which asks `weir complete` for words. */
#include <string.h>

#include "engine/cli/help.h"
#include "engine/cli/output.h"

static const char bash[] =
	"# bash completion for weir; written by: weir completion bash\n"
	"_weir()\n"
	"{\n"
	"\tlocal line word=\"${COMP_WORDS[COMP_CWORD]}\" IFS=$'\\n'\n"
	"\t[[ $word == = ]] && word=\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase \"$line\" in\n"
	"\t\t:files)\n"
	"\t\t\tcompopt -o filenames\n"
	"\t\t\tCOMPREPLY+=($(compgen -f -- \"$word\")) ;;\n"
	"\t\t:folders)\n"
	"\t\t\tcompopt -o filenames\n"
	"\t\t\tCOMPREPLY+=($(compgen -d -- \"$word\")) ;;\n"
	"\t\t*) COMPREPLY+=(\"$(printf '%q' \"${line%%$'\\t'*}\")\") ;;\n"
	"\t\tesac\n"
	"\tdone < <(weir complete -- \"${COMP_WORDS[@]:0:COMP_CWORD+1}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _weir weir\n";

static const char zsh[] =
	"#compdef weir\n"
	"# zsh completion for weir; written by: weir completion zsh\n"
	"_weir()\n"
	"{\n"
	"\tlocal line word none=1\n"
	"\tlocal -a offered\n"
	"\tfor line in \"${(@f)$(weir complete -- \"${(@Q)words[1,CURRENT]}\" 2>/dev/null)}\"; do\n"
	"\t\tcase \"$line\" in\n"
	"\t\t:files) _files && none=0 ;;\n"
	"\t\t:folders) _files -/ && none=0 ;;\n"
	"\t\t?*)\n"
	"\t\t\tword=\"${line%%$'\\t'*}\"\n"
	"\t\t\toffered+=(\"${word//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t(( $#offered )) && _describe weir offered && none=0\n"
	"\treturn none\n"
	"}\n"
	"if [[ \"$funcstack[1]\" = _weir ]]; then\n"
	"\t_weir \"$@\"\n"
	"else\n"
	"\tcompdef _weir weir\n"
	"fi\n";

static const char fish[] =
	"# fish completion for weir; written by: weir completion fish\n"
	"function __weir_complete\n"
	"\tset -l word (commandline -ct)\n"
	"\tfor line in (weir complete -- (commandline -opc) \"$word\" 2>/dev/null)\n"
	"\t\tswitch $line\n"
	"\t\t\tcase :files\n"
	"\t\t\t\t__fish_complete_path $word\n"
	"\t\t\tcase :folders\n"
	"\t\t\t\t__fish_complete_directories $word\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\techo $line\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c weir -f -a '(__weir_complete)'\n";

static const struct {
	const char *shell, *script;
} scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static const char *find_script(const char *shell)
{
	for (size_t i = 0; shell && i < sizeof scripts / sizeof scripts[0]; i++)
		if (strcmp(scripts[i].shell, shell) == 0)
			return scripts[i].script;
	return NULL;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *script = find_script(weir_arguments_at(arguments, 0));
	struct weir_text text = {0};
	enum weir_status status;

	if (!script || weir_arguments_count(arguments) != 1)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "completion is written for bash, zsh and fish: weir "
		                              "completion bash"));
	weir_text_puts(&text, script);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

static const char *const words[] = {"bash", "zsh", "fish", NULL};

const struct weir_command weir_command_completion = {
	.name = "completion",
	.summary = "write a completion script for the shell",
	.hidden = true,
	.arguments = "bash | zsh | fish",
	.description =
		"Writes a script that completes commands, actions, options and their values, such "
		"as baselines, rules and devices.\n\n"
		"bash: eval \"$(weir completion bash)\" in .bashrc. zsh: eval \"$(weir completion "
		"zsh)\" in .zshrc, after compinit. fish: weir completion fish | source in "
		"config.fish. An installed weir needs none of these.",
	.words = words,
	.example = "eval \"$(weir completion bash)\"",
	.example_shows = "completes weir in this shell",
	.run = run,
};
