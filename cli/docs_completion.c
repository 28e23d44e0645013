/*
 * Shell completion: commands, options, choices, and files where a file is
 * wanted.
 */
#include <string.h>

#include "commands.h"
#include "docs.h"

/* "auto yes no" from "auto|yes|no". */
static void choices(FILE *out, const char *list)
{
    for (; list && *list; list++)
        fputc(*list == '|' ? ' ' : *list, out);
}

/* What a text names, where that is known: one method, or several. */
static bool is_method(const option *o)
{
    return o->type == OPTION_TEXT && strcmp(o->name, "method") == 0;
}

static bool is_method_list(const option *o)
{
    return o->type == OPTION_TEXT && strcmp(o->name, "methods") == 0;
}

static void method_names(FILE *out)
{
    int count;
    const kith_method_info *all = kith_methods(&count);

    for (int i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", all[i].name);
}

/* The words that may be an option's value. */
static void option_words(FILE *out, const option *o)
{
    if (is_method(o) || is_method_list(o))
        method_names(out);
    else
        choices(out, o->choices);
}

static void child_names(FILE *out, const command *group)
{
    const char *gap = "";

    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden && command_under(all_commands[i], group)) {
            fprintf(out, "%s%s", gap, command_last_word(all_commands[i]));
            gap = " ";
        }
}

/* ---- bash ---------------------------------------------------------------- */

static void bash_words(FILE *out, const command *cmd)
{
    option_table table;

    if (cmd && cmd->run) {
        for (const option *o = option_table_fill(cmd, &table); o->name; o++)
            fprintf(out, "%s--%s", o == table.row ? "" : " ", o->name);
        return;
    }
    child_names(out, cmd);
    fputs(cmd ? " --help" : " help --help --version", out);
}

/* What may follow `--name`, by kind. */
static void bash_values(FILE *out, const command *cmd)
{
    option_table table;

    for (const option *o = option_table_fill(cmd, &table); o->name; o++) {
        if (o->type == OPTION_FLAG)
            continue;
        fprintf(out, "    '%s --%s'", cmd->name, o->name);
        if (o->letter)
            fprintf(out, " | '%s -%c'", cmd->name, o->letter);
        if (o->type == OPTION_FILE)
            fputs(") kind=files ;;\n", out);
        else if (o->type == OPTION_FOLDER)
            fputs(") kind=folders ;;\n", out);
        else {
            fprintf(out, ") kind=%s words='",
                    is_method_list(o) ? "list" : "words");
            option_words(out, o);
            fputs("' ;;\n", out);
        }
    }
}

/* What may stand where no option does. */
static void bash_plain(FILE *out, const command *cmd)
{
    const argument *a = cmd ? cmd->arguments : NULL;

    fprintf(out, "    '%s') options='", cmd ? cmd->name : "");
    bash_words(out, cmd);
    fputs("'", out);
    if (a && a->type == OPTION_CHOICE) {
        fputs(" words='", out);
        choices(out, a->choices);
        fputs("'", out);
    } else if (a) {
        fputs(" kind=files", out);
    }
    fputs(" ;;\n", out);
}

static const char bash_begins[] =
    "# bash completion for kith; written by 'kith docs completion bash'\n"
    "_kith()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev= cmd= word i\n"
    "    local kind=words words= options= IFS=$' \\t\\n'\n"
    "    [ \"$COMP_CWORD\" -gt 0 ] && "
    "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    # --name=VALUE comes as three words\n"
    "    if [ \"$cur\" = = ]; then\n"
    "        cur=\n"
    "    elif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -gt 1 ]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        case \"$cmd${cmd:+ }$word\" in\n"
    "    help) continue ;;\n";

static const char bash_ends[] =
    "    *)\n"
    "        case $cur in\n"
    "        -*) kind=words words=$options ;;\n"
    "        *) [ \"$kind\" = words ] && words=\"$words $options\" ;;\n"
    "        esac\n"
    "        ;;\n"
    "    esac\n"
    "    IFS=$'\\n'\n"
    "    case $kind in\n"
    "    files | folders)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        if [ \"$kind\" = files ]; then\n"
    "            COMPREPLY=($(compgen -f -- \"$cur\"))\n"
    "        else\n"
    "            COMPREPLY=($(compgen -d -- \"$cur\"))\n"
    "        fi\n"
    "        ;;\n"
    "    list) # after the last comma\n"
    "        compopt -o nospace 2>/dev/null\n"
    "        COMPREPLY=($(IFS=$' \\t\\n' compgen -P "
    "\"${cur%\"${cur##*,}\"}\" -W \"$words\" -- "
    "\"${cur##*,}\"))\n"
    "        ;;\n"
    "    *) COMPREPLY=($(IFS=$' \\t\\n' compgen -W \"$words\" -- "
    "\"$cur\")) ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _kith kith\n";

void docs_bash(FILE *out)
{
    fputs(bash_begins, out);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            fprintf(out, "    '%s') cmd='%s' ;;\n", all_commands[i]->name,
                    all_commands[i]->name);
    fputs("        esac\n    done\n    case $cmd in\n", out);
    bash_plain(out, NULL);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            bash_plain(out, all_commands[i]);
    fputs("    esac\n    case \"$cmd $prev\" in\n", out);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            bash_values(out, all_commands[i]);
    fputs(bash_ends, out);
}

/* ---- zsh ----------------------------------------------------------------- */

/* The action part of an _arguments specification. */
static void zsh_action(FILE *out, option_type type, const char *list)
{
    if (type == OPTION_FILE)
        fputs("_files", out);
    else if (type == OPTION_FOLDER)
        fputs("_files -/", out);
    else if (type == OPTION_CHOICE) {
        fputc('(', out);
        choices(out, list);
        fputc(')', out);
    } else {
        fputc(' ', out);
    }
}

/* Help inside '...[here]': quotes end the word, brackets the help. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void zsh_option(FILE *out, const option *o)
{
    const bool valued = o->type != OPTION_FLAG;

    fputs(" \\\n            ", out);
    if (o->letter)
        fprintf(out, "'(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name,
                o->letter, o->name, valued ? "=" : "");
    else
        fprintf(out, "'--%s%s[", o->name, valued ? "=" : "");
    zsh_text(out, o->help);
    fputc(']', out);
    if (valued) {
        fprintf(out, ":%s:", o->value);
        if (is_method(o)) {
            fputc('(', out);
            method_names(out);
            fputc(')', out);
        } else if (is_method_list(o)) {
            fputs("_values -s , method ", out);
            method_names(out);
        } else {
            zsh_action(out, o->type, o->choices);
        }
    }
    fputc('\'', out);
}

static void zsh_leaf(FILE *out, const command *cmd)
{
    option_table table;
    int place = 1;

    fprintf(out, "        '%s')\n            _arguments -s", cmd->name);
    for (const option *o = option_table_fill(cmd, &table); o->name; o++)
        zsh_option(out, o);
    for (const argument *a = cmd->arguments; a && a->name; a++) {
        fprintf(out, " \\\n            '%d:%s:", place++, a->name);
        zsh_action(out, a->type, a->choices);
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
}

static void zsh_group(FILE *out, const command *group)
{
    fprintf(out, "        '%s')\n            names=(",
            group ? group->name : "");
    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];

        if (c->hidden || !command_under(c, group))
            continue;
        fprintf(out, "\n                '%s:", command_last_word(c));
        zsh_text(out, c->summary);
        fputc('\'', out);
    }
    if (!group)
        fputs("\n                'help:show what a command does'"
              "\n                '--version:show the version'",
              out);
    fputs("\n                '--help:show help')\n"
          "            _describe command names ;;\n",
          out);
}

void docs_zsh(FILE *out)
{
    fputs("#compdef kith\n"
          "# zsh completion for kith; written by 'kith docs completion zsh'\n"
          "_kith()\n"
          "{\n"
          "    local cmd= i used=0\n"
          "    local -a names\n"
          "    [[ ${words[2]} == help ]] && words[2]=() && ((CURRENT--))\n"
          "    for ((i = 2; i < CURRENT; i++)); do\n"
          "        case \"$cmd${cmd:+ }${words[i]}\" in\n",
          out);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            fprintf(out, "        '%s') cmd='%s' used=$((i - 1)) ;;\n",
                    all_commands[i]->name, all_commands[i]->name);
    fputs("        *) break ;;\n"
          "        esac\n"
          "    done\n"
          "    # leave the last word of the command in the place of 'kith'\n"
          "    ((used)) && shift $used words && ((CURRENT -= used))\n"
          "    case $cmd in\n",
          out);
    zsh_group(out, NULL);
    for (int i = 0; all_commands[i]; i++) {
        if (all_commands[i]->hidden)
            continue;
        if (all_commands[i]->run)
            zsh_leaf(out, all_commands[i]);
        else
            zsh_group(out, all_commands[i]);
    }
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] == _kith ]]; then\n"
          "    _kith \"$@\"\n"
          "else\n"
          "    compdef _kith kith\n"
          "fi\n",
          out);
}

/* ---- fish ---------------------------------------------------------------- */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    docs_escaped(out, text, "'\\", "\\");
    fputc('\'', out);
}

static void fish_start(FILE *out, const command *cmd)
{
    fprintf(out, "complete -c kith -n '__kith_at \"%s\"'",
            cmd ? cmd->name : "");
}

static void fish_option(FILE *out, const command *cmd, const option *o)
{
    fish_start(out, cmd);
    fprintf(out, " -l %s", o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (o->type == OPTION_FILE)
        fputs(" -r -F", out);
    else if (o->type == OPTION_FOLDER)
        fputs(" -x -a '(__fish_complete_directories)'", out);
    else if (is_method_list(o)) {
        fputs(" -x -a '(__kith_list ", out);
        method_names(out);
        fputs(")'", out);
    } else if (o->type == OPTION_CHOICE || is_method(o)) {
        fputs(" -x -a '", out);
        option_words(out, o);
        fputs("'", out);
    } else if (o->type != OPTION_FLAG) {
        fputs(" -x", out);
    }
    fputs(" -d ", out);
    fish_text(out, o->help);
    fputc('\n', out);
}

static void fish_children(FILE *out, const command *group)
{
    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];

        if (c->hidden || !command_under(c, group))
            continue;
        fish_start(out, group);
        fprintf(out, " -f -a %s -d ", command_last_word(c));
        fish_text(out, c->summary);
        fputc('\n', out);
    }
    fish_start(out, group);
    fputs(" -f -l help -s h -d 'Show help'\n", out);
}

static void fish_leaf(FILE *out, const command *cmd)
{
    const argument *a = cmd->arguments;
    option_table table;

    for (const option *o = option_table_fill(cmd, &table); o->name; o++)
        fish_option(out, cmd, o);
    if (a && a->type == OPTION_CHOICE) {
        fish_start(out, cmd);
        fputs(" -f -a '", out);
        choices(out, a->choices);
        fputs("'\n", out);
    }
}

void docs_fish(FILE *out)
{
    fputs("# fish completion for kith; written by 'kith docs completion fish'\n"
          "function __kith_at --argument-names wanted\n"
          "    set -l at ''\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        switch \"$at $word\"\n",
          out);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            fprintf(out,
                    "            case '%s%s'\n                set at '%s'\n",
                    command_words(all_commands[i]) > 1 ? "" : " ",
                    all_commands[i]->name, all_commands[i]->name);
    fputs(
        "        end\n"
        "    end\n"
        "    test \"$at\" = \"$wanted\"\n"
        "end\n"
        "# words after the last comma\n"
        "function __kith_list\n"
        "    set -l at (commandline -ct | string replace -r '^--[a-z-]+=' '')\n"
        "    set -l before (string match -r '.*,' -- $at)\n"
        "    for word in $argv\n"
        "        echo $before$word\n"
        "    end\n"
        "end\n",
        out);
    fish_children(out, NULL);
    fputs("complete -c kith -n '__kith_at \"\"' -f -l version -d 'Show the "
          "version'\n",
          out);
    for (int i = 0; all_commands[i]; i++) {
        if (all_commands[i]->hidden)
            continue;
        if (all_commands[i]->run)
            fish_leaf(out, all_commands[i]);
        else
            fish_children(out, all_commands[i]);
    }
}
